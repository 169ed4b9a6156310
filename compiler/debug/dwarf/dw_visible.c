// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_visible.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_family.h"
#include "compiler/debug/dwarf/dw_range.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_DEPTH 256 // of lexical blocks

// What dw_visible_at() has answered last, and what it needs to find the next answer.
struct dw_visible_memo {
	struct dw_visibles answer;
	const void *scope; // Dwarf_Die.addr; NULL: nothing has been asked
	uint64_t pc;
	bool at_start;
	struct dw_children children; // of the scopes that are being read, outermost first
	SP_VEC(const void *) origins; // abstract variables that have been listed
};

struct walk {
	struct dw_file *file;
	uint64_t pc;
	struct dw_visible_memo *memo;
};

static void add(struct walk *w, const Dwarf_Die *die, const char *name, int param_index, bool is_concrete)
{
	// Free Pascal has variables of its own, such as $result: in scripts their names mean something else.
	name = name && *name == '$' ? NULL : name;
	sp_vec_push(&w->memo->answer.list, (struct dw_visible){ *die, name, param_index, is_concrete, NULL });
}

// The children of one scope, as a range of dw_visible_memo.children: those of its inner scopes are behind it while these are read.
struct range {
	size_t first, end;
};

// The child that is an instance of the abstract variable; NULL: none.
static struct dw_child *instance_of(struct walk *w, struct range range, const Dwarf_Die *abstract)
{
	for (size_t i = range.first; i < range.end; i++)
		if (w->memo->children.list.v[i].origin == abstract->addr)
			return &w->memo->children.list.v[i];
	return NULL;
}

// Has an inner block listed an instance of the abstract variable, although the variable belongs to an outer one?
static bool is_listed(const struct walk *w, const Dwarf_Die *abstract)
{
	sp_vec_each(origin, &w->memo->origins)
		if (*origin == abstract->addr)
			return true;
	return false;
}

static bool is_among(const struct dw_children *children, const void *addr)
{
	sp_vec_each(child, &children->list)
		if (child->die.addr == addr)
			return true;
	return false;
}

// Adds the parameters or the locals of one scope. Its abstract origin (NULL: it has none) lists all of them in order, while the
// instance lacks those that were optimised away; so the order is that of the origin, and children without one come last.
static void add_scope_vars(struct walk *w, struct range range, const struct dw_children *abstract, bool params)
{
	unsigned tag = params ? DW_TAG_formal_parameter : DW_TAG_variable;
	int index = 0;

	for (size_t i = 0; abstract && i < abstract->list.n; i++) {
		struct dw_child child = abstract->list.v[i];
		if (child.tag != tag)
			continue;
		struct dw_child *instance = instance_of(w, range, &child.die);
		if (instance || !is_listed(w, &child.die))
			add(w, instance ? &instance->die : &child.die, child.name, params ? index++ : -1, instance);
	}
	for (size_t i = range.first; i < range.end; i++) {
		struct dw_child *child = &w->memo->children.list.v[i];
		if (child->tag != tag || (abstract && child->origin && is_among(abstract, child->origin)))
			continue;
		if (child->origin)
			sp_vec_push(&w->memo->origins, child->origin);
		add(w, &child->die, dwarf_diename(&child->die), params ? index++ : -1, true);
	}
}

static bool is_block(unsigned tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

// Inner scopes first: their names hide the outer ones'.
static void add_scope(struct walk *w, Dwarf_Die *scope, int depth)
{
	struct range range = { .first = w->memo->children.list.n };
	Dwarf_Die origin;

	dw_children_read(scope, &w->memo->children);
	range.end = w->memo->children.list.n;
	for (size_t i = range.first; i < range.end && depth < MAX_DEPTH; i++) {
		struct dw_child child = w->memo->children.list.v[i];
		if (is_block(child.tag) && dw_range_covers(&child.die, w->pc))
			add_scope(w, &child.die, depth + 1);
	}
	const struct dw_children *abstract =
		dw_family_origin(scope, &origin) ? dw_children_of(w->file, &origin) : NULL;
	add_scope_vars(w, range, abstract, true);
	add_scope_vars(w, range, abstract, false);
	w->memo->children.list.n = range.first;
}

// Where a function begins its parameters are what it is called with, although the first instruction is often one of an inner block that has
// a variable of that name: this has no value yet.
static void put_params_first(struct dw_visibles *list)
{
	struct dw_visible *v = list->list.v;

	for (size_t i = 0; i < list->list.n; i++)
		for (size_t k = 0; v[i].param_index >= 0 && v[i].name && k < i; k++) {
			struct dw_visible hides = v[k];
			if (hides.param_index >= 0 || !hides.name || !sp_streq(hides.name, v[i].name))
				continue;
			v[k] = v[i];
			v[i] = hides;
		}
}

struct dw_visibles *dw_visible_at(struct dw_scope *scope, uint64_t pc, bool at_start)
{
	struct dw_file *file = scope->file;
	struct dw_visible_memo *memo = file->visible;
	struct walk walk = { .file = file, .pc = pc };
	Dwarf_Die die = scope->die;

	if (!memo)
		memo = file->visible = sp_calloc(1, sizeof(*memo));
	if (memo->scope == die.addr && memo->pc == pc && memo->at_start == at_start)
		return &memo->answer;
	memo->scope = die.addr;
	memo->pc = pc;
	memo->at_start = at_start;
	memo->answer.list.n = memo->origins.n = 0;
	walk.memo = memo;
	add_scope(&walk, &die, 0);
	if (at_start)
		put_params_first(&memo->answer);
	return &memo->answer;
}

bool dw_visible_is_outer(struct dw_scope *scope, const char *name)
{
	Dwarf_Die function = scope->die, origin, child, *scopes = NULL;
	bool found = false;

	if (!dwarf_hasattr(&function, DW_AT_static_link))
		return false;
	if (dw_family_origin(&function, &origin))
		function = origin;
	for (int i = 1, n = dwarf_getscopes_die(&function, &scopes); i < n && !found; i++) {
		unsigned outer = dwarf_tag(&scopes[i]);

		if (outer != DW_TAG_subprogram && !is_block(outer))
			continue;
		for (int status = dwarf_child(&scopes[i], &child); status == 0 && !found; status = dwarf_siblingof(&child, &child)) {
			unsigned tag = dwarf_tag(&child);
			found = (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && sp_streq(dw_attr_name(&child), name);
		}
	}
	free(scopes);
	return found;
}

void dw_visible_destroy(struct dw_visible_memo *memo)
{
	if (!memo)
		return;
	sp_vec_deinit(&memo->answer.list);
	sp_vec_deinit(&memo->children.list);
	sp_vec_deinit(&memo->origins);
	free(memo);
}
