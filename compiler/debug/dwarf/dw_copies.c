// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_copies.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_family.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_range.h"

#define MAX_DEPTH 64 // of blocks and inlined instances in each other

static bool is_declared_at(Dwarf_Die *die, unsigned line, unsigned column)
{
	return dw_attr_number_or(die, DW_AT_decl_line, 0) == line && dw_attr_number_or(die, DW_AT_decl_column, 0) == column;
}

// Did a macro make the function? Then all that is in it has one place, that of the macro's use, and its rows tell nothing apart.
static bool is_of_macro(Dwarf_Die *scope, unsigned line, unsigned column, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);

		if ((tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) && is_declared_at(&child, line, column))
			return true;
		if (tag == DW_TAG_lexical_block && depth < MAX_DEPTH && is_of_macro(&child, line, column, depth + 1))
			return true;
	}
	return false;
}

// Of the instances of what is declared at one place, in the code of a function, the one that is entered at `pc`: one whose DIE says so,
// else the innermost.
struct owner {
	uint64_t pc;
	unsigned line, column;
	const void *instance; // Dwarf_Die.addr; NULL: none
	bool says_so;
};

struct search {
	Dwarf_Die *function, *instance, origin;
	const struct dbg_func *func;
	unsigned column; // of the function's declaration
	struct dw_copy range;
	struct dw_copies *ret;
};

static void find_owner(struct owner *owner, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child, origin;
	Dwarf_Addr entry;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		bool is_inlined = dwarf_tag(&child) == DW_TAG_inlined_subroutine;
		bool covers = (is_inlined || dwarf_tag(&child) == DW_TAG_lexical_block) && dw_range_has(&child) && dw_range_covers(&child, owner->pc);

		if (is_inlined && dw_family_origin(&child, &origin) && is_declared_at(&origin, owner->line, owner->column)) {
			bool says_so = dwarf_entrypc(&child, &entry) == 0 && entry == owner->pc; // an empty range covers nothing
			if (says_so || (covers && !owner->says_so))
				owner->instance = child.addr;
			owner->says_so |= says_so;
		}
		if (covers && depth < MAX_DEPTH)
			find_owner(owner, &child, depth + 1);
	}
}

// Functions that call themselves have instances in each other, and so have those of which gcc cut off a part.
static bool is_entry(struct search *s, uint64_t pc)
{
	struct owner owner = { .pc = pc, .line = s->func->line, .column = s->column };

	find_owner(&owner, s->function, 0);
	return owner.instance == s->instance->addr && !is_of_macro(&s->origin, s->func->line, s->column, 0);
}

static bool take_row(void *ctx, const struct dw_row *row)
{
	struct search *s = ctx;
	bool is_known = row->pc == s->func->entry_pc || (s->ret->list.n && sp_vec_last(&s->ret->list).entry_pc == row->pc);

	if (!is_known && row->is_stmt && row->line == s->func->line && row->column == s->column && sp_streq(row->path, s->func->file) &&
	    is_entry(s, row->pc)) {
		s->range.entry_pc = row->pc;
		sp_vec_push(&s->ret->list, s->range);
	}
	return false;
}

void dw_copies_read(struct dw_file *file, Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Die *instance, const struct dbg_func *func,
		    struct dw_copies *ret)
{
	struct search s = { .function = function, .instance = instance, .func = func, .ret = ret };
	Dwarf_Addr base;

	if (!dw_family_origin(instance, &s.origin))
		return;
	s.column = (unsigned)dw_attr_number_or(&s.origin, DW_AT_decl_column, 0);
	for (ptrdiff_t off = 0; s.column && (off = dwarf_ranges(instance, off, &base, &s.range.low_pc, &s.range.high_pc)) > 0;)
		dw_line_rows(file, unit, s.range.low_pc, s.range.high_pc, take_row, &s);
}
