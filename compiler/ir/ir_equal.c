// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/ir_equal.h"

struct pair {
	const struct ir_unit *unit;
	const struct ir_body *a, *b;
};

static bool expr_equal(const struct pair *p, const struct ir_expr *a, const struct ir_expr *b);
static bool stmts_equal(const struct pair *p, const struct ir_stmt *a, const struct ir_stmt *b);

static bool exprs_equal(const struct pair *p, struct ir_expr *const *a, unsigned n_a, struct ir_expr *const *b, unsigned n_b)
{
	if (n_a != n_b)
		return false;
	for (unsigned i = 0; i < n_a; i++)
		if (!expr_equal(p, a[i], b[i]))
			return false;
	return true;
}

static const void *callee(const struct ir_body *body, uint32_t func)
{
	return body->copy_of ? body->copy_of[func] : NULL;
}

static bool index_equal(const struct pair *p, enum ir_expr_op op, uint32_t a, uint32_t b)
{
	return a == b || (op == IR_CALL && callee(p->a, a) && callee(p->a, a) == callee(p->b, b));
}

static bool expr_equal(const struct pair *p, const struct ir_expr *a, const struct ir_expr *b)
{
	if (!a || !b)
		return a == b;
	return a->op == b->op && a->type == b->type && a->cap == b->cap && index_equal(p, a->op, a->index, b->index) &&
	       a->imm == b->imm && a->size == b->size && a->is_signed == b->is_signed && a->is_late == b->is_late &&
	       a->tracer == b->tracer && a->at_exit == b->at_exit && a->link == b->link &&
	       a->space == b->space && a->want == b->want && a->stat == b->stat && a->len == b->len &&
	       (!a->len || memcmp(a->text, b->text, a->len) == 0) && expr_equal(p, a->a, b->a) && expr_equal(p, a->b, b->b) &&
	       expr_equal(p, a->c, b->c) && exprs_equal(p, a->args, a->n_args, b->args, b->n_args) &&
	       stmts_equal(p, a->stmts, b->stmts);
}

static bool foreach_equal(const struct pair *p, const struct ir_stmt *a, const struct ir_stmt *b)
{
	size_t keys = a->op == IR_S_FOREACH ? p->unit->maps.v[a->map].n_keys * sizeof(*a->foreach.keys) : 0;

	return a->foreach.value == b->foreach.value && a->foreach.sort_key == b->foreach.sort_key &&
	       a->foreach.sort_dir == b->foreach.sort_dir && expr_equal(p, a->foreach.limit, b->foreach.limit) &&
	       (!keys || memcmp(a->foreach.keys, b->foreach.keys, keys) == 0);
}

static bool stmt_equal(const struct pair *p, const struct ir_stmt *a, const struct ir_stmt *b)
{
	return a->op == b->op && a->index == b->index && a->size == b->size && a->space == b->space && a->stat == b->stat &&
	       a->message == b->message && a->is_loss == b->is_loss && a->loss == b->loss && expr_equal(p, a->a, b->a) && expr_equal(p, a->b, b->b) &&
	       exprs_equal(p, a->args, a->n_args, b->args, b->n_args) && stmts_equal(p, a->then, b->then) &&
	       stmts_equal(p, a->otherwise, b->otherwise) && stmts_equal(p, a->step, b->step) && foreach_equal(p, a, b);
}

static bool stmts_equal(const struct pair *p, const struct ir_stmt *a, const struct ir_stmt *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!stmt_equal(p, a, b))
			return false;
	return a == b;
}

bool ir_body_equal(const struct ir_unit *unit, const struct ir_body *a, const struct ir_body *b)
{
	const struct pair p = { unit, a, b };

	if (a->n_locals != b->n_locals)
		return false;
	for (size_t i = 0; i < a->n_locals; i++)
		if (a->locals[i].type != b->locals[i].type || a->locals[i].cap != b->locals[i].cap)
			return false;
	return stmts_equal(&p, a->stmts, b->stmts);
}

bool ir_expr_equal(const struct ir_unit *unit, const struct ir_expr *a, const struct ir_expr *b)
{
	static const struct ir_body body;
	const struct pair p = { unit, &body, &body };

	return expr_equal(&p, a, b);
}

// ---- hash -----------------------------------------------------------------------------------------------------------

struct hasher {
	uint64_t hash;
};

static void mix(struct hasher *h, uint64_t value)
{
	h->hash = (h->hash ^ value) * 0x9e3779b97f4a7c15u;
	h->hash ^= h->hash >> 29;
}

static void mix_expr(void *ctx, const struct ir_expr *e)
{
	mix(ctx, (uint64_t)e->op << 32 | e->cap);
	mix(ctx, e->op == IR_CALL ? 0 : e->index);
	mix(ctx, (uint64_t)e->imm);
	mix(ctx, (uint64_t)e->size << 32 | e->len);
}

static void mix_stmt(void *ctx, const struct ir_stmt *s)
{
	mix(ctx, (uint64_t)s->op << 32 | s->index);
}

uint64_t ir_body_hash(const struct ir_body *body)
{
	struct hasher h = { .hash = body->n_locals };
	struct ir_visitor visitor = { .ctx = &h, .expr = mix_expr, .stmt = mix_stmt };

	ir_walk_stmts(body->stmts, &visitor);
	return h.hash;
}
