// SPDX-License-Identifier: GPL-2.0-or-later
/** The libraries that the dynamic linker maps for a program. */
#ifndef SP_DEBUG_DBG_LIBRARY_H
#define SP_DEBUG_DBG_LIBRARY_H

#include "compiler/debug/dwarf/dw_file.h"

#include "runtime/base/vec.h"

struct dbg_library {
	char *name; // as programs name what they need: "libc.so.6"
	char *path; // absolute, without symbolic links
};

struct dbg_libraries {
	SP_VEC(struct dbg_library) list;
	SP_VEC(char *) missing; // names that are needed, of which no file is a library
};

/** The libraries that the program needs, those that they need, and so on, in the order in which the dynamic linker looks up
 *  symbols, then the dynamic linker itself. To be freed. */
void dbg_library_list(const char *sysroot, const char *path, Elf *program, struct dbg_libraries *ret);
/** The libraries that a process has mapped, those that it has loaded itself (dlopen) and deleted ones included. To be freed, after an error, too: it means
 *  that there may be more. */
struct sp_err *dbg_library_mapped(pid_t pid, const char *program, struct dbg_libraries *ret);
void dbg_library_free(struct dbg_libraries *libraries);

#endif
