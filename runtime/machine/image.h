// SPDX-License-Identifier: GPL-2.0-or-later
/** What this machine says of its kernel, modules and programs: addresses, build-ids, mappings of a process. */
#ifndef SP_RUNTIME_IMAGE_H
#define SP_RUNTIME_IMAGE_H

#include "runtime/base/build_id.h"
#include "runtime/base/err.h"

#include <sys/types.h>

struct image_build_id {
	uint8_t bytes[SP_BUILD_ID_MAX];
	size_t len; // 0: there is none
	uint64_t layout; // of a file's code: sp_code_layout()
};

/** Run-time address of a kernel symbol. SP_ERR_PRIVILEGE when the kernel hides addresses. */
struct sp_err *image_kernel_address(const char *name, uint64_t *ret);
/** Calls `each` for every symbol of the kernel and its modules (module NULL: the kernel's own) until it returns false.
 *  Hidden addresses are 0. */
struct sp_err *image_each_kernel_symbol(bool (*each)(void *ctx, uint64_t address, const char *name, const char *module), void *ctx);
/** Where the section of a loaded module is, as /sys/module tells. */
struct sp_err *image_module_section(const char *module, const char *section, uint64_t *ret);

/** Each leaves `len` 0 when there is none to be found. */
void image_kernel_build_id(struct image_build_id *ret);
void image_module_build_id(const char *module, struct image_build_id *ret);
/** A number that the module has from when it is loaded until it is unloaded, as no other has; 0: it is not there, or not yet. */
uint64_t image_module_number(const char *module);
/** SP_ERR_NOT_FOUND and the like when the file cannot be read; no build-id is not an error. */
struct sp_err *image_file_build_id(const char *path, struct image_build_id *ret);
/** The same; the file stays open. */
struct sp_err *image_file_open(const char *path, struct image_build_id *ret, int *fd_ret);
/** "8f0c12..." in `text` of 2 * SP_BUILD_ID_MAX + 1 bytes; "none" when there is none. */
const char *image_build_id_text(const uint8_t *bytes, size_t len, char *text);

struct Elf;
/** An ELF file that is open for reading. */
struct image_elf {
	struct Elf *elf;
	int fd;
};

struct sp_err *image_elf_open(const char *path, struct image_elf *ret);
void image_elf_close(struct image_elf *file);
/** Why something could not be read since that file was opened, if nothing but libelf was called: it gives then what it gives of a file
 *  that does not have it. NULL: all was read. */
struct sp_err *image_elf_unread(const char *path);
/** A text of a section with texts; "" where there is none. */
const char *image_elf_text(const struct image_elf *file, size_t section, size_t offset);

/** Address of a symbol in an ELF file, link-time: of a dynamic one, or of one for debuggers. 0: it has none. */
uint64_t image_file_address(const char *path, const char *name, bool is_dynamic);

/** Where in the file the first instruction of a program is. */
struct sp_err *image_file_entry(const char *path, uint64_t *ret);

struct image_mapping {
	uint64_t start, end, offset;
	bool executable, writable;
	dev_t dev;
	ino_t inode;
	const char *path; // valid during the call
};

/** A word of the process's auxiliary vector (AT_BASE); 0: it has none. */
uint64_t image_auxv(pid_t pid, uint64_t type);

/** Calls `each` for every mapping of a process with a file behind it until it returns false. */
struct sp_err *image_each_mapping(pid_t pid, bool (*each)(void *ctx, const struct image_mapping *mapping), void *ctx);
/** Is the file that was stat'ed as `dev` and `inode` whose path without symbolic links is `path` (NULL: not known)
 *  what is mapped? Device numbers of overlay file systems differ between stat(2) and maps, so an equal inode and path do, too. */
bool image_mapping_is(const struct image_mapping *mapping, dev_t dev, ino_t inode, const char *path);

/** By which path we reach what a process has mapped: its own path leads to another file, or to none, when that was replaced or removed. The
 *  very file can be had by whoever may follow /proc/PID/map_files, its program by all who trace it. To be freed. */
char *image_mapping_path(pid_t pid, const struct image_mapping *mapping);

/** Does the process run that program? Its linker may have been told to (`/lib64/ld-linux-x86-64.so.2 ./prog`): /proc says that it runs the
 *  linker then. */
bool image_runs(pid_t pid, const char *path);

#endif
