// SPDX-License-Identifier: GPL-2.0-or-later
/** The libraries that the dynamic linker maps for a program. */
#ifndef SP_DEBUG_DBG_LIBRARY_H
#define SP_DEBUG_DBG_LIBRARY_H

#include "compiler/debug/dwarf/dw_file.h"

#include "runtime/base/vec.h"

struct dbg_library {
	char *name; // as it is asked for: "libc.so.6"
	char *path; // absolute, without symbolic links
};

struct dbg_libraries {
	SP_VEC(struct dbg_library) list;
};

/** What the program needs, what those need, and so on, with the dynamic linker itself, in the order in which that searches
 *  symbols. What cannot be found is left out. To be freed. */
void dbg_library_list(const char *sysroot, const char *path, Elf *program, struct dbg_libraries *ret);
void dbg_library_free(struct dbg_libraries *libraries);

#endif
