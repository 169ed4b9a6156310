// SPDX-License-Identifier: GPL-2.0-or-later
/** Which variables can be seen at an instruction of a function or of an inlined instance. Where they are is dw_var.h's. */
#ifndef SP_DEBUG_DW_VISIBLE_H
#define SP_DEBUG_DW_VISIBLE_H

#include "compiler/debug/dwarf/dw_scope.h"

struct dw_visible {
	Dwarf_Die die; // the instance, or the abstract variable of which no instance is left
	const char *name; // NULL: it has none
	int param_index; // -1: a local
	bool is_concrete; // `die` is the instance
	const struct dbg_var *var; // by dw_var.c: with its type and place there; NULL: not yet asked for
};

struct dw_visibles {
	SP_VEC(struct dw_visible) list;
};

/** The variables that can be seen at `pc`, those of inner blocks first: their names hide the outer ones'. `at_start`: the function or
 *  instance begins there, and nothing hides its parameters. The answer holds until the next question; one that is asked again, for
 *  another name at the same place, is answered at once. */
struct dw_visibles *dw_visible_at(struct dw_scope *scope, uint64_t pc, bool at_start);

/** Is there a variable of that name in a function around this one? It hides those outside of functions; where its frame is, is not looked for. */
bool dw_visible_is_outer(struct dw_scope *scope, const char *name);

void dw_visible_destroy(struct dw_visible_memo *memo);

#endif
