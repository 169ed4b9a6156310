// SPDX-License-Identifier: GPL-2.0-or-later
/** The variables and blocks of functions, inlined instances and blocks. What all instances of an inline function have in common,
 *  its family, is read once: a kernel has inline functions with thousands of instances. */
#ifndef SP_DEBUG_DW_FAMILY_H
#define SP_DEBUG_DW_FAMILY_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_file.h"

#include "runtime/base/vec.h"

struct dw_child {
	Dwarf_Die die;
	unsigned tag; // a parameter, a variable or a block
	const void *origin; // Dwarf_Die.addr of the abstract DIE that it is an instance of; NULL: of none
	const char *name; // read for the children of abstract scopes only; else NULL
};

struct dw_children {
	SP_VEC(struct dw_child) list;
};

struct dw_family {
	const struct dbg_func *func; // for dw_scope.c: names and place of the declaration; NULL: not yet read
	bool has_children; // `children` has been read
	struct dw_children children;
	unsigned asked_in; // for dw_walk.c: the number of the search that `is_skipped` is the answer of; 0: none
	unsigned named_in; // the same for `name`
	size_t name; // of the search's names (struct finder), which is that of this family
	bool is_skipped; // the search leaves this function out (dbg_func_query.skips)
};

/** The DIE of the abstract function, variable or block that `die` is an instance of; false: it is not one. */
bool dw_family_origin(Dwarf_Die *die, Dwarf_Die *ret);
/** Is the instance, inlined into `caller`, what gcc cut off from a function ("f.part.0") and put back? It is no call, but the rest of
 *  one: the place where it is called is that of the function's own declaration. The part can be another function's that is the same
 *  code. A macro that makes two functions, of which one calls the other, has one place for all of it. */
bool dw_family_is_part(struct dw_file *file, Dwarf_Die *instance, Dwarf_Die *caller);
/** Appends the variables and blocks of `scope`, in order. */
void dw_children_read(Dwarf_Die *scope, struct dw_children *ret);
/** The family of an abstract function or block; it lives until dw_file_end_share(). */
struct dw_family *dw_family_of(struct dw_file *file, const Dwarf_Die *abstract);
/** The variables and blocks of an abstract function or block; read once. */
const struct dw_children *dw_children_of(struct dw_file *file, Dwarf_Die *abstract);

void dw_families_destroy(struct dw_families *families);

#endif
