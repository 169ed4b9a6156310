// SPDX-License-Identifier: GPL-2.0-or-later
/** What a function, an inlined instance or a block has of variables and blocks: read in one walk, and of abstract functions,
 *  which have thousands of instances, once. */
#ifndef SP_DEBUG_DW_CHILDREN_H
#define SP_DEBUG_DW_CHILDREN_H

#include "compiler/debug/dw_file.h"

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

/** The DIE of the abstract function, variable or block that `die` is an instance of; false: it is not one. */
bool dw_children_origin(Dwarf_Die *die, Dwarf_Die *ret);
/** Appends what `scope` has, in order. */
void dw_children_read(Dwarf_Die *scope, struct dw_children *ret);
/** What an abstract scope has. */
const struct dw_children *dw_children_of(struct dw_file *file, Dwarf_Die *abstract);

void dw_families_destroy(struct dw_families *families);

#endif
