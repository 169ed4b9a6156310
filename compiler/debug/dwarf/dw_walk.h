// SPDX-License-Identifier: GPL-2.0-or-later
/** The walk over the DIEs of a unit that finds functions and inlined instances. dw_func.c chooses the units. */
#ifndef SP_DEBUG_DW_WALK_H
#define SP_DEBUG_DW_WALK_H

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/index/dw_needle.h"

#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

/** A function of the index of names whose name matches. */
struct dw_match {
	uint32_t unit, die; // the unit's number, and the DIE's offset in it
};

/** One search. The caller fills in `file` to `n_shares`, `needles`, and the file and module of `d`; the rest begins as 0. */
struct dw_finder {
	struct dw_file *file;
	const struct dbg_func_query *query;
	const char *last_name; // the part of query->name behind its last "::", a pattern for DW_AT_name
	bool is_qualified; // query->name has a "::"
	char *scope; // what stands before that, when it has no wildcards: dw_qualify_scope()
	uint64_t alias; // not 0: the function at this address is wanted, whatever its name
	unsigned share, n_shares; // dbg_take_share()
	SP_VEC(bool) visited; // by unit; shorter than the list of units while the last ones have not been visited
	uint64_t walked; // bytes of units since the last dw_units_forget()
	SP_VEC(struct dbg_func *) found;
	// With query->once, in a program: the inlined instances that have been found, by name, file and line, 1 + their number. A
	// function of a C++ header has thousands, in hundreds of units.
	struct sp_hash names;
	SP_VEC(size_t) by_name; // by that number: 1 + index in `found` of the one with the lowest address
	SP_VEC(Dwarf_Off) abstract; // functions that match and are described elsewhere: is_abstract()
	SP_VEC(Dwarf_Off) covered; // with query->once: of `abstract`, those with an instance that can be probed
	SP_VEC(struct dw_match) matches; // from an index of names
	const struct dw_needles *needles; // of last_name, in a program; NULL: not known
	// The rest is about the unit that is being walked.
	struct dw_describer d;
	bool is_flat; // dw_qualify_is_flat()
	bool is_partial; // dwz has made it
	bool puts_off; // walk_scope() puts off the functions with code, in which inlined instances are looked for
	SP_VEC(Dwarf_Die) bodies; // these
	SP_VEC(Dwarf_Off) origins; // of a program: functions that match, which instances may name
	size_t first_abstract; // index of the first of `abstract` that is in this unit
	bool is_damaged; // the index of names lists what is no function of it
	bool is_searched; // a body is walked only when its bytes hold a reference to one of them: dw_walk_has_plain_origins()
	// The inline function of the last instance: instances of one function often follow each other.
	void *origin;
	struct dw_family *family;
	bool origin_matches;
};

void dw_walk_deinit(struct dw_finder *finder);

/** Finds what is in a unit that has not been walked yet. A dw_unit_fn that never ends the search. */
bool dw_walk_unit(void *finder, size_t unit);
/** The same of a kernel's unit whose functions with such a name are known from the index of names. */
void dw_walk_matches(struct dw_finder *finder, const struct dw_match *matches, size_t n);

/** Is the unit of the share that is searched? */
bool dw_walk_is_of_share(const struct dw_finder *finder, size_t unit);
/** Do all functions and inlined instances of the unit that are described elsewhere say where by DW_FORM_ref4, an offset from the
 *  unit's start? */
bool dw_walk_has_plain_origins(Dwarf_Die *unit);

#endif
