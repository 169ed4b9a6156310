// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_copies.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_family.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_place.h"
#include "compiler/debug/dwarf/dw_range.h"
#include "compiler/debug/dwarf/dw_scope.h"

#define MAX_DEPTH 64 // of blocks and inlined instances in each other

// Did a macro make the function? Then all that is in it has one place, that of the macro's use, and its rows tell nothing apart.
static bool is_of_macro(Dwarf_Die *scope, struct dw_spot declared, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);

		if ((tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) && dw_spot_is(dw_attr_declared(&child), declared))
			return true;
		if (tag == DW_TAG_lexical_block && depth < MAX_DEPTH && is_of_macro(&child, declared, depth + 1))
			return true;
	}
	return false;
}

// How an instance can be the one that is entered at an address, the weakest first: an empty range is what the optimiser leaves where
// it has moved all instructions of a copy's beginning.
enum claim { NO_CLAIM, IS_EMPTY, COVERS, SAYS_SO };

// A row that has the place of the function's declaration: where an instance is entered.
struct row {
	uint64_t pc, low, high; // low, high: the range that it was found in
	unsigned view;
};

// Of the instances of what is declared at one place, in the code of a function, the one that is entered with a row: of those with the
// best claim the innermost.
struct owner {
	const struct search *search;
	const struct row *row;
	const void *instance; // Dwarf_Die.addr; NULL: none
	enum claim claim;
};

struct search {
	struct sp_arena *arena;
	struct dbg_func *func; // the instance
	struct dw_scope *scope; // its
	Dwarf_Die origin;
	struct dw_spot declared; // the function
	uint64_t low, high; // the range that is looked through
	SP_VEC(struct row) rows;
	struct dw_copies *ret;
};

static enum claim claim_of(Dwarf_Die *scope, uint64_t pc)
{
	if (!dw_range_has(scope))
		return NO_CLAIM;
	return dw_range_covers(scope, pc) ? COVERS : dw_range_is_empty_at(scope, pc) ? IS_EMPTY : NO_CLAIM;
}

static bool is_row(const struct search *s, uint64_t pc, Dwarf_Word view)
{
	sp_vec_each(row, &s->rows)
		if (row->pc == pc && row->view == view)
			return true;
	return false;
}

// The claim of an instance that says of an address where it is entered. Several can be entered at one: then it says with which row, too.
static enum claim claim_of_entry(const struct owner *owner, Dwarf_Die *instance)
{
	Dwarf_Attribute attr;
	Dwarf_Word view;

	if (!dwarf_attr(instance, DW_AT_GNU_entry_view, &attr))
		view = 0;
	else if (dwarf_formudata(&attr, &view) != 0)
		return SAYS_SO;
	return view == owner->row->view || !is_row(owner->search, owner->row->pc, view) ? SAYS_SO : NO_CLAIM;
}

// What gcc cut off from a function and put back can begin where that is entered, since the instructions of both are mixed.
static void find_owner(struct owner *owner, Dwarf_Die *caller, Dwarf_Die *scope, int depth)
{
	const struct search *s = owner->search;
	Dwarf_Die child, origin;
	Dwarf_Addr entry;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		bool is_inlined = dwarf_tag(&child) == DW_TAG_inlined_subroutine;
		enum claim within = is_inlined || dwarf_tag(&child) == DW_TAG_lexical_block ? claim_of(&child, owner->row->pc) : NO_CLAIM;

		if (is_inlined && dw_family_origin(&child, &origin) && dw_spot_is(dw_attr_declared(&origin), s->declared)) {
			enum claim claim = dwarf_entrypc(&child, &entry) == 0 && entry == owner->row->pc ? claim_of_entry(owner, &child) : within;
			bool is_callers = owner->instance == caller->addr && dw_family_is_part(s->scope->file, &child, caller);

			if (claim != NO_CLAIM && (is_callers ? claim > owner->claim : claim >= owner->claim)) {
				owner->instance = child.addr;
				owner->claim = claim;
			}
		}
		if (within != NO_CLAIM && depth < MAX_DEPTH)
			find_owner(owner, is_inlined ? &child : caller, &child, depth + 1);
	}
}

// Functions that call themselves have instances in each other.
static bool is_entry(struct search *s, const struct row *row)
{
	struct owner owner = { .search = s, .row = row };

	find_owner(&owner, &s->scope->function, &s->scope->function, 0);
	return owner.instance == s->scope->die.addr;
}

static void enter_at(struct dbg_func *func, uint64_t pc, uint64_t low, uint64_t high)
{
	struct dw_scope *scope = func->scope;

	func->entry_pc = func->body_pc = pc;
	func->low_pc = low;
	func->high_pc = high;
	dw_scope_fill_symbol(scope->file, func);
}

static void add_copy(struct search *s, uint64_t pc, uint64_t low, uint64_t high)
{
	struct dbg_func *copy = sp_arena_memdup(s->arena, s->func, sizeof(*copy));

	copy->is_copy = true;
	enter_at(copy, pc, low, high);
	sp_vec_push(&s->ret->list, copy);
}

static bool take_row(void *ctx, const struct dw_row *row)
{
	struct search *s = ctx;

	if (row->is_stmt && dw_spot_is((struct dw_spot){ row->line, row->column }, s->declared) && sp_streq(row->path, s->func->file))
		sp_vec_push(&s->rows, (struct row){ row->pc, s->low, s->high, row->view });
	return false;
}

static void by_declaration(struct search *s)
{
	Dwarf_Die *die = &s->scope->die;
	Dwarf_Addr base;

	if (!dw_family_origin(die, &s->origin))
		return;
	s->declared = dw_attr_declared(&s->origin);
	for (ptrdiff_t off = 0; s->declared.column && (off = dwarf_ranges(die, off, &base, &s->low, &s->high)) > 0;)
		dw_line_rows(s->scope->file, &s->scope->unit, s->low, SP_MAX(s->high, s->low + 1), take_row, s);
	if (s->rows.n && is_of_macro(&s->origin, s->declared, 0))
		s->rows.n = 0;
	sp_vec_each(row, &s->rows) {
		bool is_known = row->pc == s->func->entry_pc || (s->ret->list.n && sp_vec_last(&s->ret->list)->entry_pc == row->pc);
		if (!is_known && is_entry(s, row))
			add_copy(s, row->pc, row->low, row->high);
	}
	sp_vec_deinit(&s->rows);
}

// Not in a function of one line, which has statements of all kinds there.
static void by_first_line(struct search *s)
{
	const struct dbg_funcs instance = { .v = &s->func, .n = 1 };
	const struct dbg_line_query all_lines = { 0 };
	struct dbg_places places = { 0 };
	bool is_moved = false;
	unsigned first = 0;

	dw_place_lines(s->scope->file, &instance, &all_lines, &places);
	for (unsigned i = 0; i < places.n; i++)
		if (places.v[i].line > s->func->line && (!first || places.v[i].line < first))
			first = places.v[i].line;
	for (unsigned i = 0; first && i < places.n; i++) {
		uint64_t pc = places.v[i].pc, low, high;
		if (places.v[i].line != first || !dw_range_at(&s->scope->die, pc, &low, &high))
			continue;
		if (is_moved)
			add_copy(s, pc, low, high);
		else
			enter_at(s->func, pc, low, high);
		is_moved = true;
	}
}

void dw_copies_read(struct sp_arena *arena, struct dbg_func *instance, struct dw_copies *ret)
{
	struct search s = { .arena = arena, .func = instance, .scope = instance->scope, .ret = ret };

	if (dwarf_hasattr(&s.scope->die, DW_AT_entry_pc) || s.scope->file->is_kernel)
		by_declaration(&s);
	else
		by_first_line(&s);
}
