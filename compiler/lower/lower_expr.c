// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_expr.h"

#include "compiler/lower/lower_call.h"
#include "compiler/lower/lower_embed.h"
#include "compiler/lower/lower_loc.h"
#include "compiler/lower/lower_pretty.h"
#include "compiler/lower/lower_print.h"
#include "compiler/lower/lower_stat.h"
#include "compiler/lower/lower_write.h"

// ---- keys and slices ----------------------------------------------------------------------------

struct ir_expr **lower_key(struct lower *l, const struct ast_list *keys, bool keep)
{
	struct ir_expr **v = sp_arena_array(&l->unit->arena, struct ir_expr *, keys->n);

	for (unsigned i = 0; i < keys->n; i++)
		v[i] = lower_expr(l, keys->v[i]);
	if (keep)
		lower_keep_key(l, v, keys->n, NULL);
	return v;
}

void lower_keep_key(struct lower *l, struct ir_expr **key, unsigned n, struct ir_expr *value)
{
	for (unsigned i = 0; i < n; i++) {
		bool keeps = key[i]->op != IR_LOCAL || (value && lower_changes(value, key[i]));

		for (unsigned k = i + 1; k < n && !keeps; k++)
			keeps = lower_changes(key[k], key[i]);
		if (keeps)
			key[i] = lower_keep(l, key[i]);
	}
}

bool lower_changes_key(struct ir_expr *const *key, unsigned n, struct ir_expr *value)
{
	return n == 1 && key[0]->type == IR_STR && (key[0]->op == IR_LOCAL || key[0]->op == IR_GLOBAL) && lower_changes(value, key[0]);
}

void lower_protect_key(struct lower *l, struct ir_expr **key, unsigned n, struct ir_expr *value)
{
	struct ir_expr *both[2] = { NULL, value };

	if (n != 1)
		return;
	both[0] = key[0];
	lower_protect(l, both, 2);
	key[0] = both[0];
}

struct ir_expr **lower_slice(struct lower *l, const struct ast_list *keys)
{
	struct ir_expr **parts = sp_arena_array(&l->unit->arena, struct ir_expr *, keys->n);

	for (unsigned i = 0; i < keys->n; i++)
		if (keys->v[i])
			parts[i] = lower_keep(l, lower_expr(l, keys->v[i]));
	return parts;
}

struct ir_expr *lower_slice_match(struct lower *l, struct ir_expr *const *parts,
				  const uint32_t *locals, unsigned n)
{
	struct ir_expr *all = NULL;

	for (unsigned i = 0; i < n; i++) {
		struct ir_expr *same;
		if (!parts[i])
			continue;
		same = ir_binary(l->unit, IR_EQ, lower_read(l, locals[i]), parts[i], IR_NO_PLACE);
		all = all ? ir_binary(l->unit, IR_LAND, all, same, IR_NO_PLACE) : same;
	}
	return all;
}

struct ir_stmt *lower_walk_map(struct lower *l, uint32_t map, uint32_t place)
{
	const struct ir_map *m = &l->unit->maps.v[map];
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_FOREACH, place);

	s->map = map;
	s->foreach.keys = sp_arena_array(&l->unit->arena, uint32_t, m->n_keys);
	for (unsigned i = 0; i < m->n_keys; i++)
		s->foreach.keys[i] = lower_temp(l, m->keys[i].type, m->keys[i].size);
	return s;
}

static bool has_star(const struct ast_list *keys)
{
	for (unsigned i = 0; i < keys->n; i++)
		if (!keys->v[i])
			return true;
	return false;
}

// `[*, k] in a`: a foreach that ends at the first matching element.
static struct ir_expr *in_slice(struct lower *l, const struct ast_expr *e, uint32_t map,
				uint32_t place)
{
	uint32_t found = lower_temp(l, IR_LONG, 0);
	struct lower_list list, body;
	struct ir_expr **parts, *match;
	struct ir_stmt *walk, *test;

	lower_list_begin(l, &list);
	parts = lower_slice(l, &e->in.keys);
	lower_emit(l, ir_set(l->unit, found, ir_const(l->unit, 0), place));
	walk = lower_walk_map(l, map, place);
	lower_list_begin(l, &body);
	lower_emit(l, ir_set(l->unit, found, ir_const(l->unit, 1), place));
	lower_emit(l, ir_stmt_new(l->unit, IR_S_BREAK, place));
	walk->then = lower_list_end(l, &body);
	match = lower_slice_match(l, parts, walk->foreach.keys, e->in.keys.n);
	if (match) {
		test = ir_stmt_new(l->unit, IR_S_IF, place);
		test->a = match;
		test->then = walk->then;
		walk->then = test;
	}
	lower_emit(l, walk);
	return ir_seq(l->unit, lower_list_end(l, &list), lower_read(l, found));
}

static struct ir_expr *map_op(struct lower *l, enum ir_expr_op op, uint32_t map,
			      struct ir_expr **key, uint32_t place)
{
	const struct ir_map *m = &l->unit->maps.v[map];
	struct ir_expr *e = ir_expr_new(l->unit, op, op == IR_MAP_GET ? m->value_type : IR_LONG,
					place);

	e->map = map;
	e->args = key;
	e->n_args = m->n_keys;
	e->cap = e->type == IR_STR ? m->value_size : 0;
	return e;
}

struct ir_expr *lower_has(struct lower *l, uint32_t map, const uint32_t *locals, uint32_t place)
{
	unsigned n = l->unit->maps.v[map].n_keys;
	struct ir_expr **key = sp_arena_array(&l->unit->arena, struct ir_expr *, n);

	for (unsigned i = 0; i < n; i++)
		key[i] = lower_read(l, locals[i]);
	return map_op(l, IR_MAP_HAS, map, key, place);
}

static struct ir_expr *in(struct lower *l, const struct ast_expr *e)
{
	uint32_t place = lower_place(l, e->span, "identifier", e->in.name);
	uint32_t map = lower_global(l, e->in.global);

	if (has_star(&e->in.keys))
		return in_slice(l, e, map, place);
	return map_op(l, IR_MAP_HAS, map, lower_key(l, &e->in.keys, false), place);
}

static struct ir_expr *match(struct lower *l, const struct ast_expr *e)
{
	uint32_t place = lower_place(l, e->regex.pattern->span, "", NULL);
	struct ir_expr *value = ir_unary(l->unit, IR_MATCH, lower_expr(l, e->regex.text));

	value->regex = ir_regex(l->unit, e->regex.pattern->string.text, place);
	return e->regex.negated ? ir_unary(l->unit, IR_LNOT, value) : value;
}

// ---- operators ----------------------------------------------------------------------------------

static enum ir_expr_op binary_op(enum ast_binary_op op)
{
	switch (op) {
	case BIN_ADD: return IR_ADD;
	case BIN_SUB: return IR_SUB;
	case BIN_MUL: return IR_MUL;
	case BIN_DIV: return IR_DIV;
	case BIN_MOD: return IR_MOD;
	case BIN_AND: return IR_AND;
	case BIN_OR: return IR_OR;
	case BIN_XOR: return IR_XOR;
	case BIN_SHL: return IR_SHL;
	case BIN_SHR: return IR_SHR;
	case BIN_USHR: return IR_USHR;
	case BIN_EQ: return IR_EQ;
	case BIN_NE: return IR_NE;
	case BIN_LT: return IR_LT;
	case BIN_LE: return IR_LE;
	case BIN_GT: return IR_GT;
	case BIN_GE: return IR_GE;
	case BIN_LAND: return IR_LAND;
	case BIN_LOR: return IR_LOR;
	case BIN_CONCAT: return IR_CONCAT;
	}
	return IR_ADD;
}

struct ir_expr *lower_apply(struct lower *l, enum ast_binary_op op, struct ir_expr *a, struct ir_expr *b,
			    struct span span)
{
	struct ir_expr *pair[2] = { a, b }, *e;
	uint32_t place = IR_NO_PLACE;

	lower_protect(l, pair, 2);
	if (op == BIN_DIV || op == BIN_MOD || op == BIN_CONCAT)
		place = lower_place(l, span, "operator", ast_binary_op_text(op));
	if (op != BIN_CONCAT)
		return ir_binary(l->unit, binary_op(op), pair[0], pair[1], place);
	e = ir_expr_new(l->unit, IR_CONCAT, IR_STR, place);
	e->a = pair[0];
	e->b = pair[1];
	e->cap = SP_MAX(lower_cap(l, (uint64_t)a->cap + b->cap - 1), SP_MAX(lower_part_room(a), lower_part_room(b)));
	return e;
}

static struct ir_expr *unary(struct lower *l, const struct ast_expr *e)
{
	struct ir_expr *a = lower_expr(l, e->unary.a);

	switch (e->unary.op) {
	case UN_PLUS:
		return a;
	case UN_MINUS:
		if (a->op == IR_CONST)
			return ir_const(l->unit, (int64_t)(0 - (uint64_t)a->value));
		return ir_unary(l->unit, IR_NEG, a);
	case UN_NOT:
		return ir_unary(l->unit, IR_LNOT, a);
	case UN_BITNOT:
		return ir_unary(l->unit, IR_NOT, a);
	}
	return a;
}

static struct ir_expr *ternary(struct lower *l, const struct ast_expr *e)
{
	struct ir_expr *cond = lower_expr(l, e->ternary.cond), *yes = lower_expr(l, e->ternary.a);

	return lower_choose(l, cond, yes, lower_expr(l, e->ternary.b));
}

// `cond ? f() : g();` as a statement: an if.
static void ternary_effect(struct lower *l, const struct ast_expr *e)
{
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_IF, lower_place(l, e->span, "", NULL));
	struct lower_list list;

	s->a = lower_expr(l, e->ternary.cond);
	lower_list_begin(l, &list);
	lower_effect(l, e->ternary.a);
	s->then = lower_list_end(l, &list);
	lower_list_begin(l, &list);
	lower_effect(l, e->ternary.b);
	s->otherwise = lower_list_end(l, &list);
	lower_emit(l, s);
}

// ---- assignments --------------------------------------------------------------------------------

static struct ir_expr *variable(struct lower *l, const struct ast_expr *e)
{
	struct ir_expr *v;
	const struct ir_global *g;

	if (e->name.local)
		return lower_read(l, lower_local(l, e->name.local));
	if (!e->name.global || e->name.global->is_array) {
		lower_bug(l, e->span, "a name without a variable");
		return lower_zero(l, lower_type(e->type));
	}
	v = ir_expr_new(l->unit, IR_GLOBAL, IR_LONG, IR_NO_PLACE);
	v->global = lower_global(l, e->name.global);
	g = &l->unit->globals.v[v->global];
	v->type = g->type;
	v->cap = g->cap;
	return v;
}

void lower_store(struct lower *l, const struct ast_expr *target, struct ir_expr *value, uint32_t place)
{
	struct ir_stmt *s;

	if (target->name.local) {
		lower_emit(l, ir_set(l->unit, lower_local(l, target->name.local), value, place));
		return;
	}
	s = ir_stmt_new(l->unit, IR_S_GSET, place);
	s->global = lower_global(l, target->name.global);
	s->a = value;
	lower_emit(l, s);
}

// An atomic addition: `x += a`, `x -= a`, `x++` on globals and elements.
static struct ir_expr *shared_add(struct lower *l, const struct ast_expr *target,
				  struct ir_expr *delta, enum ir_want want)
{
	struct ir_expr *e;

	if (target->kind == AST_INDEX) {
		uint32_t map = lower_global(l, target->index.global);
		uint32_t place = lower_place(l, target->op_span, "identifier",
					     target->index.name);
		e = map_op(l, IR_MAP_ADD, map, NULL, place);
	} else {
		e = ir_expr_new(l->unit, IR_GLOBAL_ADD, IR_LONG,
				lower_place(l, target->span, "identifier", target->name.name));
		e->global = lower_global(l, target->name.global);
	}
	e->a = delta;
	e->want = want;
	return e;
}

static bool is_shared(const struct ast_expr *target)
{
	return target->kind == AST_INDEX || (target->kind == AST_NAME && !target->name.local);
}

static void emit_eval(struct lower *l, struct ir_expr *value, uint32_t place)
{
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_EVAL, place);

	s->a = value;
	lower_emit(l, s);
}

static void emit_map_set(struct lower *l, const struct ast_expr *target, struct ir_expr **key,
			 struct ir_expr *value)
{
	uint32_t map = lower_global(l, target->index.global);
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_MAP_SET,
					lower_place(l, target->op_span, "identifier",
						    target->index.name));

	s->map = map;
	s->args = key;
	s->n_args = l->unit->maps.v[map].n_keys;
	s->a = value;
	lower_emit(l, s);
}

// The value of `old op= value`: the right side comes first, and what it changes of the left one is changed before that is read.
static struct ir_expr *apply_to(struct lower *l, const struct ast_expr *e, struct ir_expr *old, struct ir_expr *value)
{
	if (lower_changes(value, old))
		value = lower_keep(l, value);
	return lower_apply(l, e->assign.op, old, value, e->op_span);
}

// `a[k] = v` and `a[k] op= v`. The expression's value is the computed one: another processor may store its own meanwhile.
static struct ir_expr *assign_element(struct lower *l, const struct ast_expr *e, bool wanted)
{
	const struct ast_expr *target = e->assign.target;
	bool is_op = e->assign.kind == ASSIGN_OP;
	uint32_t place = lower_place(l, target->op_span, "identifier", target->index.name);
	struct ir_expr *value, **key;
	unsigned n = target->index.keys.n;

	key = lower_key(l, &target->index.keys, is_op);
	value = lower_expr(l, e->assign.value);
	// Where the value is computed before this statement, a part of the key that it may change is read before that.
	if (wanted || is_op || lower_changes_key(key, n, value))
		lower_keep_key(l, key, n, value);
	if (is_op)
		value = apply_to(l, e, map_op(l, IR_MAP_GET, lower_global(l, target->index.global), key, place), value);
	if (wanted)
		value = lower_keep(l, value);
	emit_map_set(l, target, key, value);
	return wanted ? value : NULL;
}

static bool adds(const struct ast_expr *e)
{
	return e->assign.kind == ASSIGN_OP &&
	       (e->assign.op == BIN_ADD || e->assign.op == BIN_SUB) && is_shared(e->assign.target);
}

static struct ir_expr *add_assign(struct lower *l, const struct ast_expr *e, enum ir_want want)
{
	const struct ast_expr *target = e->assign.target;
	struct ir_expr **key = target->kind == AST_INDEX ? lower_key(l, &target->index.keys, false)
							 : NULL;
	struct ir_expr *delta = lower_expr(l, e->assign.value), *sum;

	if (key)
		lower_protect_key(l, key, target->index.keys.n, delta);
	if (e->assign.op == BIN_SUB)
		delta = delta->op == IR_CONST
				? ir_const(l->unit, (int64_t)(0 - (uint64_t)delta->value))
				: ir_unary(l->unit, IR_NEG, delta);
	sum = shared_add(l, target, delta, want);
	sum->args = key;
	sum->n_args = key ? target->index.keys.n : 0;
	return sum;
}

// Emits the assignment; returns an expression without effects that gives its value when it is wanted.
static struct ir_expr *assign(struct lower *l, const struct ast_expr *e, bool wanted)
{
	const struct ast_expr *target = e->assign.target;
	uint32_t place = lower_place(l, e->span, "", NULL);
	struct ir_expr *value;

	if (e->assign.kind == ASSIGN_STAT)
		return lower_stat_add(l, e, wanted);
	if (target->kind == AST_INDEX)
		return assign_element(l, e, wanted);
	if (lower_is_foreign(target))
		return lower_write(l, e, wanted);
	if (target->kind != AST_NAME) {
		lower_bug(l, target->span, "assignment to what is no variable");
		return lower_zero(l, lower_type(e->type));
	}
	value = lower_expr(l, e->assign.value);
	if (e->assign.kind == ASSIGN_OP)
		value = apply_to(l, e, variable(l, target), value);
	if (wanted && !target->name.local)
		value = lower_keep(l, value);
	lower_store(l, target, value, place);
	return wanted ? target->name.local ? variable(l, target) : value : NULL;
}

static struct ir_expr *incdec(struct lower *l, const struct ast_expr *e, bool wanted)
{
	const struct ast_expr *target = e->incdec.target;
	uint32_t place = lower_place(l, e->span, "", NULL);
	struct ir_expr *delta = ir_const(l->unit, e->incdec.delta), *sum;
	struct lower_list list;

	if (lower_is_foreign(target)) {
		if (!wanted)
			return lower_write(l, e, false);
		lower_list_begin(l, &list);
		sum = lower_write(l, e, true);
		return ir_seq(l->unit, lower_list_end(l, &list), sum);
	}
	if (target->kind != AST_NAME && target->kind != AST_INDEX) {
		lower_bug(l, target->span, "++ of what is no variable");
		return delta;
	}
	if (is_shared(target)) {
		struct ir_expr **key = target->kind == AST_INDEX
					       ? lower_key(l, &target->index.keys, false)
					       : NULL;
		sum = shared_add(l, target, delta,
				 !wanted	       ? IR_WANT_NONE
				 : e->incdec.is_prefix ? IR_WANT_NEW
						       : IR_WANT_OLD);
		sum->args = key;
		sum->n_args = key ? target->index.keys.n : 0;
		if (wanted)
			return sum;
		emit_eval(l, sum, place);
		return NULL;
	}
	lower_list_begin(l, &list);
	lower_store(l, target, ir_binary(l->unit, IR_ADD, variable(l, target), delta, IR_NO_PLACE),
		    place);
	if (!wanted) {
		lower_emit(l, lower_list_end(l, &list));
		return NULL;
	}
	sum = variable(l, target);
	if (!e->incdec.is_prefix)
		sum = ir_binary(l->unit, IR_SUB, sum, delta, IR_NO_PLACE);
	return ir_seq(l->unit, lower_list_end(l, &list), sum);
}

// ---- all ----------------------------------------------------------------------------------------

static struct ir_expr *poisoned(struct lower *l, const struct ast_expr *e)
{
	if (e->kind != AST_ERROR) // an AST_ERROR has been reported
		lower_bug(l, e->span, "an expression that should have been resolved or refused");
	return lower_zero(l, lower_type(e->type));
}

// What is there for its effect, as print() is, in a place that takes a value: that is 0.
static struct ir_expr *effect_then_zero(struct lower *l, const struct ast_expr *e,
					void (*effect)(struct lower *l, const struct ast_expr *e))
{
	struct lower_list list;

	lower_list_begin(l, &list);
	effect(l, e);
	return ir_seq(l->unit, lower_list_end(l, &list), ir_const(l->unit, 0));
}

static struct ir_expr *assigned(struct lower *l, const struct ast_expr *e)
{
	struct lower_list list;
	struct ir_expr *value;

	if (adds(e))
		return add_assign(l, e, IR_WANT_NEW);
	lower_list_begin(l, &list);
	value = assign(l, e, true);
	return ir_seq(l->unit, lower_list_end(l, &list), value);
}

struct ir_expr *lower_expr(struct lower *l, const struct ast_expr *e)
{
	struct ir_expr *value, *right;

	switch (e->kind) {
	case AST_NUMBER:
		return ir_const(l->unit, e->number);
	case AST_STRING:
		return ir_literal(l->unit, e->string.text, e->string.len);
	case AST_NAME:
		return variable(l, e);
	case AST_INDEX:
		return map_op(l, IR_MAP_GET, lower_global(l, e->index.global),
			      lower_key(l, &e->index.keys, false),
			      lower_place(l, e->op_span, "identifier", e->index.name));
	case AST_CALL:
		return lower_call(l, e);
	case AST_PRINT:
		return e->print.to_string ? lower_sprint(l, e) : effect_then_zero(l, e, lower_print);
	case AST_UNARY:
		return unary(l, e);
	case AST_BINARY:
		value = lower_expr(l, e->binary.a);
		right = lower_expr(l, e->binary.b);
		return lower_apply(l, e->binary.op, value, right, e->op_span);
	case AST_TERNARY:
		return e->type != TYPE_VOID ? ternary(l, e) : effect_then_zero(l, e, ternary_effect);
	case AST_ASSIGN:
		return assigned(l, e);
	case AST_INCDEC:
		return incdec(l, e, true);
	case AST_IN:
		return in(l, e);
	case AST_STAT:
	case AST_HIST:
		return lower_stat_get(l, e);
	case AST_REGEX:
		return match(l, e);
	case AST_RESOLVED:
		return e->resolved->pretty ? lower_pretty_text(l, e) : lower_site_value(l, e);
	case AST_EMBEDDED:
		return lower_embed(l, e);
	case AST_PERF:
		return lower_call_counter(l, e);
	case AST_TARGET:
	case AST_CAST:
	case AST_ATVAR:
	case AST_DEFINED:
	case AST_ENTRY:
	case AST_PROBEWRITE: case AST_ERROR:
		return poisoned(l, e);
	}
	return poisoned(l, e);
}

void lower_effect(struct lower *l, const struct ast_expr *e)
{
	uint32_t place = lower_place(l, e->span, "", NULL);

	if (e->kind == AST_ASSIGN && adds(e)) {
		emit_eval(l, add_assign(l, e, IR_WANT_NONE), place);
	} else if (e->kind == AST_ASSIGN) {
		assign(l, e, false);
	} else if (e->kind == AST_INCDEC) {
		incdec(l, e, false);
	} else if (e->kind == AST_TERNARY) {
		ternary_effect(l, e);
	} else if (e->kind == AST_PRINT && !e->print.to_string) {
		lower_print(l, e);
	} else if (e->kind == AST_CALL) {
		lower_call_effect(l, e);
	} else {
		struct ir_expr *value = lower_expr(l, e);
		// A variable or a constant as a statement does nothing.
		if (value->op != IR_CONST && value->op != IR_LOCAL && value->op != IR_GLOBAL &&
		    value->op != IR_LITERAL)
			emit_eval(l, value, place);
	}
}
