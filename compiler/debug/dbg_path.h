// SPDX-License-Identifier: GPL-2.0-or-later
/** Where programs, libraries, kernels and modules lie. */
#ifndef SP_DEBUG_DBG_PATH_H
#define SP_DEBUG_DBG_PATH_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"

#include <stdio.h>

/** Opens a regular file for reading; NULL with errno. */
FILE *dbg_path_open(const char *path);
/** The absolute path of a program or a library, to be freed. A name without a slash is looked up in PATH, then as a
 *  library of 64 bits: in ld.so.cache and the usual directories. */
struct sp_err *dbg_path_program(const char *sysroot, const char *name, char **ret);
/** A library of ld.so.cache or the usual directories that is an ELF file of a class, ELFCLASS64 or ELFCLASS32; to be freed.
 *  NULL: none. */
char *dbg_path_library(const char *sysroot, const char *name, int elf_class);
/** Is that file an ELF file of that class? */
bool dbg_path_is_of_class(const char *path, int elf_class);
/** Calls `fn` for each program whose path matches a pattern; a pattern without a slash is looked for in the folders of PATH. */
void dbg_path_each_program(const char *sysroot, const char *pattern, void (*fn)(void *ctx, const char *path), void *ctx);
/** Calls `fn` for each module of the kernel whose name matches. */
void dbg_path_each_module(const char *sysroot, const char *release, const char *pattern,
			  void (*fn)(void *ctx, const char *name), void *ctx);
/** Where debug files are, when nobody says otherwise. */
#define DBG_PATH_USUAL "+:.debug:/usr/lib/debug"

/** An element of a debuginfo path of elfutils (dwfl_standard_find_debuginfo() in libdwfl.h): the path is elements with ':' between
 *  them, '+' or '-' before one, or before all, says whether checksums decide. */
struct dbg_path_element {
	const char *folder; // len bytes; "": that of the program; "/x": a tree like /usr/lib/debug; else a folder in that of the program
	int len;
	bool is_checked; // a file that is found by its name alone must have the checksum in .gnu_debuglink
};

/** False: the path has no i-th element. */
bool dbg_path_element(const char *path, unsigned i, struct dbg_path_element *ret);
/** The i-th place where a vmlinux of that release may lie; false behind the last. */
bool dbg_path_vmlinux(const char *sysroot, const char *debuginfo_path, const char *release, unsigned i,
		      struct sp_buf *ret);
/** The file of a kernel module ("ext4", also "snd_pcm" for snd-pcm.ko.xz), to be freed; NULL: none. */
char *dbg_path_module(const char *sysroot, const char *release, const char *name);
/** Is it one of those that the kernel's image has, as its modules.builtin says? */
bool dbg_path_module_is_builtin(const char *sysroot, const char *release, const char *name);
/** Place `i` of the boot image of that kernel; false: there are no more. */
bool dbg_path_boot(const char *sysroot, const char *release, unsigned i, struct sp_buf *ret);
/** The separate debug file of a kernel module whose own file was found by dbg_path_module, to be freed; NULL: none. */
char *dbg_path_module_debug(const char *sysroot, const char *debuginfo_path, const char *path);
/** Appends what to install on this distribution to get the debug information of that kernel; a sentence for people. */
void dbg_path_kernel_advice(const char *sysroot, const char *release, struct sp_buf *ret);

#endif
