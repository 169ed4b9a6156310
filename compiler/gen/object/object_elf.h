// SPDX-License-Identifier: GPL-2.0-or-later
/** ELF files in memory (64-bit little-endian BPF): reads what LLVM made, writes the sections that
 *  are kept and ours. */
#ifndef SP_GEN_OBJECT_ELF_H
#define SP_GEN_OBJECT_ELF_H

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/vec.h"

#include <elf.h>

struct object_section {
	const char *name;
	Elf64_Shdr head; // as it was read; offset, size and name are set by the writer
	const void *data;
	size_t size;
	bool dropped;
};

struct object_elf {
	struct sp_arena arena;
	SP_VEC(struct object_section) sections; // [0] is the null section
	unsigned symtab; // index of its section; 0: none
	const Elf64_Sym *symbols;
	size_t n_symbols;
	const char *names; // of symbols
};

/** Points into `file`, which must stay. */
struct sp_err *object_elf_read(const struct sp_buf *file, struct object_elf *ret);
void object_elf_deinit(struct object_elf *elf);

/** NULL when there is none. */
const struct object_section *object_elf_find(const struct object_elf *elf, const char *name);
/** Is it what only debuggers and linkers want, or empty? */
bool object_elf_is_unwanted(const struct object_section *section);
const char *object_elf_symbol_name(const struct object_elf *elf, const Elf64_Sym *symbol);
void object_elf_add(struct object_elf *elf, const char *name, const void *data, size_t size);
/** Symbols of dropped sections go, too, and what refers to sections and symbols is renumbered. */
void object_elf_write(struct object_elf *elf, struct sp_buf *ret);

#endif
