// SPDX-License-Identifier: GPL-2.0-or-later
/** Functions of programs by ELF symbols: those without debug information, and those that an IFUNC chooses from. */
#ifndef SP_DEBUG_DBG_ELF_FUNC_H
#define SP_DEBUG_DBG_ELF_FUNC_H

#include "compiler/debug/dbg.h"

/** Adds the functions that only the symbol table knows by the query's name, sorted. `described`: leave out those that debug
 *  information has, which are in `ret` already. */
void dbg_elf_func_add(struct dbg_module *module, const struct dbg_func_query *query, bool described, struct dbg_funcs *ret);
/** Adds the functions of dynamic symbols that have such a version: "GLIBC_2.14", or "@GLIBC_2.14" for a default one. Wildcards are
 *  allowed. */
void dbg_elf_func_add_version(struct dbg_module *module, const char *pattern, const char *version, struct dbg_funcs *ret);
/** Adds the versions of that name: "f@V1, f@@V2". */
void dbg_elf_func_versions(struct dbg_module *module, const char *name, struct sp_buf *ret);
/** The function of the symbol that covers an address; NULL: none does. */
struct dbg_func *dbg_elf_func_at(struct dbg_module *module, uint64_t addr);

#endif
