// SPDX-License-Identifier: GPL-2.0-or-later
/** Reduced debug files: of a file's debug information, what some functions need, written as an ELF file with DWARF of its own.
 *
 *  The problem. Debug information is several times the size of a program, and production machines have none. A script needs a few
 *  functions of it: their addresses and lines, where their variables live, the types that these reach.
 *
 *  The idea. What is kept is DWARF 5 again, in an ELF file that has the build-id, the sections' addresses and the symbols of the
 *  original. So there is one reader: every answer (locations, call frames, inlined instances, lines, types) is found by the code
 *  that finds it in the original, and readelf, gdb and llvm-dwarfdump can check what was written. A format of our own would have
 *  needed a second implementation of dbg.h, whose answers could differ.
 *
 *  How. The caller names functions. All that their DIEs refer to is marked (keep_mark.c), a declared type together with the definition
 *  that the reader would find. Units repeat the types of their headers: those of C that cannot be told apart are kept once
 *  (keep_same.c). What is left is written (keep_info.c, keep_expr.c, keep_line.c, keep_elf.c).
 *
 *  The limits. The file says nothing of what was not marked, and cannot tell whether there is more: whoever opens it must know what
 *  is complete in it (dbg_partial.h). */
#ifndef SP_DEBUG_KEEP_H
#define SP_DEBUG_KEEP_H

#include "compiler/debug/dwarf/dw_file.h"

struct keep;

struct keep *keep_create(struct dw_file *file);
void keep_destroy(struct keep *keep);
/** Only what a probe at the entry or the return of a function needs is kept of functions: parameters, without what is inside. */
void keep_make_brief(struct keep *keep);
/** Keeps a function (the DIE of the concrete one) with all that is in it, and the variables of its unit. */
void keep_function(struct keep *keep, Dwarf_Die *function);
/** Keeps a type, or a variable that is in no function. */
void keep_die(struct keep *keep, Dwarf_Die *die);
/** Keeps the symbols of that name. */
void keep_symbol(struct keep *keep, const char *name);
/** The ELF file. */
struct sp_err *keep_write(struct keep *keep, struct sp_buf *ret);

#endif
