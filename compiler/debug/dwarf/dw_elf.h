// SPDX-License-Identifier: GPL-2.0-or-later
/** One ELF file in memory: mapped, checked against its size, its sections by name, its build-id. */
#ifndef SP_DEBUG_DW_ELF_H
#define SP_DEBUG_DW_ELF_H

#include "runtime/base/err.h"

#include <gelf.h>

/** A file mapped read-only. Pages are touched only where something is read. */
struct dw_image {
	char *path;
	int fd;
	uint8_t *map;
	size_t size;
	Elf *elf;
};

struct dw_section {
	const uint8_t *data;
	size_t size;
	int fd; // -1: the bytes are not those of a file (they were decompressed or relocated)
	uint64_t file_off;
};

/** Errors say what is wrong with the file in plain words: it is a folder, a script, truncated, of another ELF class. */
struct sp_err *dw_elf_open(const char *path, struct dw_image *ret);
/** The same for an open file, which it takes, also when it fails; `path` is for messages. */
struct sp_err *dw_elf_take(const char *path, int fd, struct dw_image *ret);
void dw_elf_deinit(struct dw_image *image);

/** A section as libelf gives it: decompressed. False: it is missing, or has no bytes. */
bool dw_elf_section(Elf *elf, const char *name, struct dw_section *ret);
/** The section's bytes as they are in the file, compressed or not; NULL: it is missing, or has no bytes. */
Elf_Data *dw_elf_raw_section(Elf *elf, const char *name);
bool dw_elf_has_section(Elf *elf, const char *name);
bool dw_elf_has_dwarf(Elf *elf);

/** Is that the text at an offset of a table of strings? False, too, where a broken file has none. */
bool dw_elf_is_text(Elf *elf, size_t strings, size_t offset, const char *text);

/** The build-id of an ELF image. Returns its length, 0 when there is none. */
unsigned dw_elf_build_id(Elf *elf, uint8_t ret[32]);
/** Where its code is: sp_code_layout(). */
uint64_t dw_elf_code_layout(Elf *elf);

#endif
