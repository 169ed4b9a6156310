// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_place.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_go.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_DEPTH 256 // of lexical blocks

// Code of an inlined function.
struct inlined {
	uint64_t low, high;
	const char *file;
	unsigned line; // of its declaration
};

struct candidate {
	struct dbg_place place;
	unsigned column;
	bool is_stmt;
};

struct lister {
	struct dw_file *file;
	const struct dbg_line_query *query;
	SP_VEC(struct dbg_place) found;
	// The function that is being looked through:
	struct dbg_func *func;
	const char *outer_file; // declaration of the function that an inlined instance is in
	unsigned outer_line;
	SP_VEC(struct candidate) candidates;
	SP_VEC(struct inlined) inlined; // into it, at any depth
	bool is_optimised; // its code can have several copies of a statement
	bool is_go;
	unsigned last_line; // of the last row that began a statement
};

static void set_symbol(struct dw_file *file, struct dbg_place *place)
{
	const struct dbg_func *func = place->func;
	struct dw_sym sym;

	place->symbol = NULL;
	if (!dw_sym_at(file, place->pc, func->symbol, &sym))
		return;
	place->symbol = sym.name;
	place->symbol_off = place->pc - sym.addr;
}

void dw_place_fill(struct dw_file *file, struct dbg_func *func, uint64_t pc, struct dbg_place *ret)
{
	struct dw_scope *scope = func->scope;

	*ret = (struct dbg_place){ .func = func, .pc = pc, .file = func->file, .line = func->line };
	if (scope)
		dw_line_at(file, &scope->unit, pc, &ret->file, &ret->line);
	set_symbol(file, ret);
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static bool is_block(Dwarf_Die *die)
{
	unsigned tag = dwarf_tag(die);

	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static void add_inlined(struct lister *l, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;
	Dwarf_Addr base;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		bool is_call = dwarf_tag(&child) == DW_TAG_inlined_subroutine;
		struct inlined inlined = { 0 };
		if ((!is_call && !is_block(&child)) || depth == MAX_DEPTH)
			continue;
		if (is_call)
			dw_line_decl(l->file, &child, &inlined.file, &inlined.line);
		for (ptrdiff_t off = 0;
		     is_call && (off = dwarf_ranges(&child, off, &base, &inlined.low, &inlined.high)) > 0;)
			if (inlined.low < inlined.high)
				sp_vec_push(&l->inlined, inlined);
		add_inlined(l, &child, depth + 1);
	}
}

// Is the row's line one of the function that is declared at file:line, and not of the one that is looked through? Functions do not
// nest in C, so a line belongs to the last function that is declared before it.
static bool is_behind(const struct lister *l, const char *file, unsigned line, const struct dw_row *row)
{
	return file && sp_streq(file, row->path) && row->line >= line &&
	       (line > l->func->line || row->line < l->func->line);
}

// Is the row's line one of another function? The code of an inlined function has rows with its own lines and some with the line of
// the call; Go before 1.21 does not tell where that function is declared, and has its own lines alone.
static bool is_another(const struct lister *l, const struct dw_row *row)
{
	if (l->func->is_inline && is_behind(l, l->outer_file, l->outer_line, row))
		return true;
	sp_vec_each(it, &l->inlined)
		if (row->pc >= it->low && row->pc < it->high && (it->line ? is_behind(l, it->file, it->line, row) : l->is_go))
			return true;
	return false;
}

static bool is_wanted(const struct lister *l, const char *path, unsigned line)
{
	const struct dbg_line_query *query = l->query;

	// Without a file in the query, lines of other files (a header that is included within a function) are left out.
	bool is_own = l->func->file && sp_streq(path, l->func->file);
	if (query->file ? !dw_line_match(path, query->file) : !is_own)
		return false;
	// A line before the function's own is that of an instruction of inlined code that the optimiser has moved here.
	if (line < l->func->line && (is_own || query->is_relative))
		return false;
	if (query->is_relative)
		line -= l->func->line;
	for (unsigned i = 0; i < query->n_lines; i++)
		if (line >= query->lines[i].first && line <= query->lines[i].last)
			return true;
	return !query->n_lines;
}

// Is the row the beginning of another copy of the statement that `first` is the beginning of? Optimisers unroll loops, and let several
// ways lead to one statement. Copies have the column of the original; a line's other statements and expressions have others.
static bool is_copy(const struct lister *l, const struct candidate *first, const struct dw_row *row, bool is_continued)
{
	if (!l->is_optimised || !row->is_stmt || !row->column || row->column != first->column || is_continued)
		return false;
	sp_vec_each(it, &l->candidates)
		if (it->place.pc == row->pc && it->place.line == row->line && sp_streq(it->place.file, row->path))
			return false;
	return true;
}

// Takes a row: the place of a line is its first row that is marked as the beginning of a statement, as an instruction of the line
// may have been moved before that; when no row is marked, as in some optimised code, its first row. Copies are places of their own.
static bool add_row(void *ctx, const struct dw_row *row)
{
	struct lister *l = ctx;
	struct candidate candidate = {
		.place = { .func = l->func, .pc = row->pc, .file = row->path, .line = row->line },
		.column = row->column,
		.is_stmt = row->is_stmt,
	};
	bool is_continued = l->last_line == row->line;

	if (row->is_stmt)
		l->last_line = row->line;
	if (!is_wanted(l, row->path, row->line) || is_another(l, row))
		return false;
	sp_vec_each(it, &l->candidates) {
		if (it->place.line != row->line || !sp_streq(it->place.file, row->path))
			continue;
		if (row->is_stmt && !it->is_stmt)
			*it = candidate;
		else if (is_copy(l, it, row, is_continued))
			break;
		return false;
	}
	sp_vec_push(&l->candidates, candidate);
	return false;
}

static int by_pc(const void *a, const void *b)
{
	const struct dbg_place *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static void give_result(struct lister *l, struct dbg_places *ret)
{
	if (l->found.n)
		qsort(l->found.v, l->found.n, sizeof(*l->found.v), by_pc);
	ret->v = sp_arena_memdup(&l->file->arena, l->found.v, l->found.n * sizeof(*l->found.v));
	ret->n = (unsigned)l->found.n;
	sp_vec_deinit(&l->found);
	sp_vec_deinit(&l->candidates);
	sp_vec_deinit(&l->inlined);
}

void dw_place_lines(struct dw_file *file, const struct dbg_funcs *funcs, const struct dbg_line_query *query,
		    struct dbg_places *ret)
{
	struct lister l = { .file = file, .query = query };

	for (unsigned i = 0; i < funcs->n; i++) {
		struct dw_scope *scope = funcs->v[i]->scope;
		Dwarf_Addr base, low, high;
		if (!scope)
			continue;
		l.func = funcs->v[i];
		l.candidates.n = 0;
		l.last_line = 0;
		l.is_optimised = dw_scope_is_optimised(scope);
		l.is_go = dw_go_is(&scope->unit);
		dw_line_decl(file, &scope->function, &l.outer_file, &l.outer_line);
		l.inlined.n = 0;
		add_inlined(&l, &scope->die, 0);
		for (ptrdiff_t off = 0; (off = dwarf_ranges(&scope->die, off, &base, &low, &high)) > 0;)
			dw_line_rows(file, &scope->unit, low, high, add_row, &l);
		sp_vec_each(it, &l.candidates) {
			set_symbol(file, &it->place);
			sp_vec_push(&l.found, it->place);
		}
	}
	give_result(&l, ret);
}

// ---- labels ---------------------------------------------------------------------------------------------------------

static void add_labels(struct lister *l, Dwarf_Die *scope, const char *name, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		struct dbg_place place = { .func = l->func };
		if (is_block(&child) && depth < MAX_DEPTH)
			add_labels(l, &child, name, depth + 1);
		if (dwarf_tag(&child) != DW_TAG_label)
			continue;
		place.label = dw_attr_name(&child);
		// A label that was optimised away has no address.
		if (!*place.label || !sp_glob_match(name, place.label) || dwarf_lowpc(&child, &place.pc) != 0)
			continue;
		dw_line_decl(l->file, &child, &place.file, &place.line);
		set_symbol(l->file, &place);
		sp_vec_push(&l->found, place);
	}
}

void dw_place_labels(struct dw_file *file, struct dbg_func *func, const char *name, struct dbg_places *ret)
{
	struct lister l = { .file = file, .func = func };
	struct dw_scope *scope = func->scope;

	if (scope)
		add_labels(&l, &scope->die, name, 0);
	give_result(&l, ret);
}
