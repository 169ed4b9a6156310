// SPDX-License-Identifier: GPL-2.0-or-later
/** The variables and blocks in functions, inlined instances and blocks; and what all instances of one inline function have in
 *  common. An inline function can have thousands of instances, so the latter is read once. */
#ifndef SP_DEBUG_DW_FAMILY_H
#define SP_DEBUG_DW_FAMILY_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

#include "runtime/base/vec.h"

struct dw_child {
	Dwarf_Die die;
	unsigned tag; // a parameter, a variable or a block
	const void *origin; // Dwarf_Die.addr of what it is an instance of; NULL: it is none
	const char *name; // of an abstract scope's children; else NULL
};

struct dw_children {
	SP_VEC(struct dw_child) list;
};

struct dw_family {
	const struct dbg_func *func; // dw_scope.c: names and place of the declaration; NULL: not yet read
	bool has_children;
	struct dw_children children; // as far as they have been asked for
	unsigned asked_in; // dw_func.c: the last search of the file that was asked whether it skips the function; 0: none
	bool is_skipped; // its answer
};

/** The DIE of the abstract function, variable or block that `die` is an instance of; false: it is not one. */
bool dw_family_origin(Dwarf_Die *die, Dwarf_Die *ret);
/** Appends the variables and blocks of `scope`, in order. */
void dw_children_read(Dwarf_Die *scope, struct dw_children *ret);
/** The family of an abstract function or block; it lives as long as the file. */
struct dw_family *dw_family_of(struct dw_file *file, const Dwarf_Die *abstract);
/** Its variables and blocks. */
const struct dw_children *dw_children_of(struct dw_file *file, Dwarf_Die *abstract);

void dw_families_destroy(struct dw_families *families);

#endif
