// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_stmt.h"

#include "compiler/lower/lower_call.h"
#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_stat.h"
#include "runtime/abi/uservm.h"

// A list of its own; NULL for none and for an empty statement.
static struct ir_stmt *stmt_list(struct lower *l, const struct ast_stmt *s)
{
	struct lower_list list;

	if (!s)
		return NULL;
	lower_list_begin(l, &list);
	lower_stmt(l, s);
	return lower_list_end(l, &list);
}

static void branch(struct lower *l, const struct ast_stmt *s)
{
	struct ir_stmt *r = ir_stmt_new(l->unit, IR_S_IF, lower_place(l, s->span, "", NULL));

	r->a = lower_expr(l, s->cond.cond);
	r->then = stmt_list(l, s->cond.then);
	r->otherwise = stmt_list(l, s->cond.otherwise);
	lower_emit(l, r);
}

static void loop(struct lower *l, const struct ast_stmt *s)
{
	struct ir_stmt *r = ir_stmt_new(l->unit, IR_S_LOOP,
					lower_place(l, s->span, "keyword",
						    s->kind == AST_S_FOR ? "for" : "while"));
	struct lower_list list;

	if (s->loop.init)
		lower_effect(l, s->loop.init);
	r->a = s->loop.cond ? lower_expr(l, s->loop.cond) : ir_const(l->unit, 1);
	r->then = stmt_list(l, s->loop.body);
	lower_list_begin(l, &list);
	if (s->loop.step)
		lower_effect(l, s->loop.step);
	r->step = lower_list_end(l, &list);
	lower_emit(l, r);
}

// ---- foreach ------------------------------------------------------------------------------------

// The local of a loop variable. A global gets a temporary, which is copied to the global where the body begins.
static uint32_t loop_variable(struct lower *l, const struct ast_expr *name, enum ir_type type,
			      uint32_t cap, uint32_t place)
{
	uint32_t temp;

	if (name->name.local)
		return lower_local(l, name->name.local);
	temp = lower_temp(l, type, cap);
	lower_store(l, name, lower_read(l, temp), place);
	return temp;
}

// `foreach (k in a[*, 1] limit n)`: the slice is a test in the body, and so is the limit, which only counts matches.
static struct ir_stmt *filtered(struct lower *l, struct ir_expr *match, uint32_t counter,
				struct ir_expr *limit, struct ir_stmt *body, uint32_t place)
{
	struct ir_stmt *test = ir_stmt_new(l->unit, IR_S_IF, place), *done;
	struct lower_list list;

	test->a = match;
	lower_list_begin(l, &list);
	if (limit) {
		done = ir_stmt_new(l->unit, IR_S_IF, place);
		done->a = ir_binary(l->unit, IR_GE, lower_read(l, counter), limit, IR_NO_PLACE);
		done->then = ir_stmt_new(l->unit, IR_S_BREAK, place);
		lower_emit(l, done);
		lower_emit(l, ir_set(l->unit, counter,
				     ir_binary(l->unit, IR_ADD, lower_read(l, counter),
					       ir_const(l->unit, 1), IR_NO_PLACE),
				     place));
	}
	lower_emit(l, body);
	test->then = lower_list_end(l, &list);
	return test;
}

// The body may delete elements. One that is deleted before its turn is not visited.
static struct ir_stmt *if_there(struct lower *l, const struct ir_stmt *walk, struct ir_stmt *body)
{
	struct ir_stmt *test = ir_stmt_new(l->unit, IR_S_IF, walk->place);

	test->a = lower_has(l, walk->map, walk->foreach.keys, walk->place);
	test->then = body;
	return test;
}

static void foreach(struct lower *l, const struct ast_stmt *s)
{
	uint32_t place = lower_place(l, s->span, "keyword", "foreach"), counter = 0;
	struct ir_expr *limit = NULL, **slice = NULL, *match = NULL;
	struct ir_stmt *r, *body;
	struct lower_list list;
	const struct ir_map *map;

	if (s->foreach.hist) {
		lower_stat_foreach(l, s);
		return;
	}
	if (!s->foreach.global) {
		lower_bug(l, s->span, "foreach over what is no array");
		return;
	}
	r = ir_stmt_new(l->unit, IR_S_FOREACH, place);
	r->map = lower_global(l, s->foreach.global);
	map = &l->unit->maps.v[r->map];
	if (s->foreach.slice.n)
		slice = lower_slice(l, &s->foreach.slice);
	if (s->foreach.limit)
		limit = lower_keep(l, lower_expr(l, s->foreach.limit));
	if (s->foreach.sort_key >= 0) {
		r->foreach.sort_key = (unsigned)s->foreach.sort_key;
		r->foreach.sort_dir = s->foreach.sort_dir;
		if (s->foreach.sort_by_stat)
			r->foreach.sort_key = SP_VM_SORT_STAT + (unsigned)s->foreach.sort_stat;
	}
	r->foreach.keys = sp_arena_array(&l->unit->arena, uint32_t, map->n_keys);
	lower_list_begin(l, &list);
	for (unsigned i = 0; i < map->n_keys; i++)
		r->foreach.keys[i] = loop_variable(l, s->foreach.keys.v[i], map->keys[i].type,
						   map->keys[i].size, place);
	if (s->foreach.value)
		r->foreach.value = loop_variable(l, s->foreach.value, map->value_type, map->value_size, place);
	lower_stmt(l, s->foreach.body);
	body = lower_list_end(l, &list);
	if (s->foreach.may_clear)
		body = if_there(l, r, body);
	if (slice)
		match = lower_slice_match(l, slice, r->foreach.keys, map->n_keys);
	if (!match) {
		r->foreach.limit = limit;
		r->then = body;
	} else {
		if (limit) {
			counter = lower_temp(l, IR_LONG, 0);
			lower_emit(l, ir_set(l->unit, counter, ir_const(l->unit, 0), place));
		}
		r->then = filtered(l, match, counter, limit, body, place);
	}
	lower_emit(l, r);
}

// ---- delete -------------------------------------------------------------------------------------

// `delete a[*, k]`: a foreach that deletes the matching elements.
static void delete_slice(struct lower *l, const struct ast_expr *e, uint32_t place)
{
	unsigned n = e->index.keys.n;
	struct ir_expr **slice = lower_slice(l, &e->index.keys);
	struct ir_stmt *walk = lower_walk_map(l, lower_global(l, e->index.global), place);
	struct ir_stmt *test = ir_stmt_new(l->unit, IR_S_IF, place),
		       *s = ir_stmt_new(l->unit, IR_S_MAP_DEL, place);

	s->map = walk->map;
	s->n_args = n;
	s->args = sp_arena_array(&l->unit->arena, struct ir_expr *, n);
	for (unsigned i = 0; i < n; i++)
		s->args[i] = lower_read(l, walk->foreach.keys[i]);
	test->a = lower_slice_match(l, slice, walk->foreach.keys, n);
	test->then = s;
	walk->then = test;
	lower_emit(l, walk);
}

static void delete_element(struct lower *l, const struct ast_expr *e, uint32_t place)
{
	unsigned n_stars = 0, n = e->index.keys.n;
	struct ir_stmt *s;

	for (unsigned i = 0; i < n; i++)
		n_stars += !e->index.keys.v[i];
	if (n_stars && n_stars < n) {
		delete_slice(l, e, place);
		return;
	}
	s = ir_stmt_new(l->unit, n_stars ? IR_S_MAP_CLEAR : IR_S_MAP_DEL, place);
	s->index = lower_global(l, e->index.global);
	if (!n_stars) {
		s->args = lower_key(l, &e->index.keys, false);
		s->n_args = n;
	}
	lower_emit(l, s);
}

static void delete(struct lower *l, const struct ast_stmt *s)
{
	uint32_t place = lower_place(l, s->span, "keyword", "delete");
	const struct ast_expr *e = s->expr;

	if (e->kind == AST_INDEX) {
		delete_element(l, e, place);
	} else if (e->kind == AST_NAME && e->name.global &&
		   (e->name.global->is_array || e->name.global->type == TYPE_STATS)) {
		struct ir_stmt *r = ir_stmt_new(l->unit, IR_S_MAP_CLEAR, place);
		r->map = lower_global(l, e->name.global);
		lower_emit(l, r);
	} else if (e->kind == AST_NAME) {
		enum ir_type type = e->name.local ? l->locals.v[lower_local(l, e->name.local)].type
						  : lower_type(e->name.global->type);
		lower_store(l, e, lower_zero(l, type), place);
	} else {
		lower_bug(l, s->span, "delete of what is no variable");
	}
}

// ---- jumps --------------------------------------------------------------------------------------

static void return_value(struct lower *l, const struct ast_stmt *s)
{
	struct ir_stmt *r = ir_stmt_new(l->unit, IR_S_RETURN,
					lower_place(l, s->span, "keyword", "return"));
	enum ir_type type = l->function ? lower_type(l->function->return_type) : IR_VOID;

	if (s->expr && type == IR_VOID)
		lower_effect(l, s->expr);
	else if (type != IR_VOID)
		r->a = s->expr ? lower_expr(l, s->expr) : lower_zero(l, type);
	lower_emit(l, r);
}

static void next(struct lower *l, const struct ast_stmt *s)
{
	struct ir_stmt *r = ir_stmt_new(l->unit, IR_S_RETURN, lower_place(l, s->span, "keyword", "next"));

	if (l->function) // bind has replaced each `next` in a function
		lower_bug(l, s->span, "next in a function");
	r->is_loss = s->loss != AST_LOSS_NONE;
	r->loss = s->loss == AST_LOSS_PAUSED ? SP_LOSS_PAUSED : SP_LOSS_UNKEPT;
	lower_emit(l, r);
}

static void try(struct lower *l, const struct ast_stmt *s)
{
	struct ir_stmt *r = ir_stmt_new(l->unit, IR_S_TRY,
					lower_place(l, s->span, "keyword", "try"));

	if (s->try_.local)
		r->message = lower_local(l, s->try_.local);
	l->tries++;
	r->then = stmt_list(l, s->try_.body);
	l->tries--;
	r->otherwise = stmt_list(l, s->try_.handler);
	lower_emit(l, r);
}

void lower_stmt(struct lower *l, const struct ast_stmt *s)
{
	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; i < s->block.n; i++)
			lower_stmt(l, s->block.v[i]);
		break;
	case AST_S_EMPTY:
		break;
	case AST_S_EXPR:
		lower_effect(l, s->expr);
		break;
	case AST_S_IF:
		branch(l, s);
		break;
	case AST_S_WHILE:
	case AST_S_FOR:
		loop(l, s);
		break;
	case AST_S_FOREACH:
		foreach(l, s);
		break;
	case AST_S_RETURN:
		return_value(l, s);
		break;
	case AST_S_NEXT:
		next(l, s);
		break;
	case AST_S_BREAK:
		lower_emit(l, ir_stmt_new(l->unit, IR_S_BREAK, lower_place(l, s->span, "", NULL)));
		break;
	case AST_S_CONTINUE:
		lower_emit(l, ir_stmt_new(l->unit, IR_S_CONTINUE, lower_place(l, s->span, "", NULL)));
		break;
	case AST_S_DELETE:
		delete(l, s);
		break;
	case AST_S_TRY:
		try(l, s);
		break;
	}
}
