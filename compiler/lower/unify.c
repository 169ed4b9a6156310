// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/unify.h"

#include "compiler/ir/ir_equal.h"

struct unify {
	struct lower *l;
	// By function.
	uint32_t *same; // the one that stands for it: itself, or an earlier one
	uint32_t *next; // with the same key in `known`, + 1; 0: none
};

// Calls of a copy are calls of what stands for it, so functions are compared callees first: equal ones call the same.
static struct ir_body body_of(const struct ir_func *func)
{
	return (struct ir_body){ func->locals.v, func->locals.n, func->body, NULL };
}

static bool are_equal(const struct ir_unit *unit, const struct ir_func *a, const struct ir_func *b)
{
	struct ir_body x = body_of(a), y = body_of(b);

	return a->type == b->type && a->cap == b->cap && a->n_params == b->n_params && ir_body_equal(unit, &x, &y);
}

// Of the functions that are left, those that equal an earlier copy.
static bool find_equal(struct unify *u)
{
	const struct ir_unit *unit = u->l->unit;
	struct sp_hash known = { 0 };
	bool any = false;

	for (uint32_t i = 0; i < unit->funcs.n; i++) {
		struct ir_body body = body_of(&unit->funcs.v[i]);
		struct {
			const void *copy_of;
			uint64_t hash;
		} key = { u->l->copy_of.v[i], 0 };
		uint32_t other;
		void **first;

		if (!key.copy_of || u->same[i] != i)
			continue;
		key.hash = ir_body_hash(&body);
		first = sp_hash_insert(&known, &key, sizeof(key));
		for (other = (uint32_t)(uintptr_t)*first; other && !are_equal(unit, &unit->funcs.v[other - 1], &unit->funcs.v[i]);)
			other = u->next[other - 1];
		if (other) {
			u->same[i] = other - 1;
			any = true;
			continue;
		}
		u->next[i] = (uint32_t)(uintptr_t)*first;
		*first = (void *)(uintptr_t)(i + 1);
	}
	sp_hash_deinit(&known);
	return any;
}

static void call_other(void *ctx, struct ir_expr *e)
{
	const uint32_t *numbers = ctx;

	if (e->op == IR_CALL)
		e->func = numbers[e->func];
}

static void renumber(struct ir_unit *unit, uint32_t *numbers)
{
	const struct ir_editor editor = { .ctx = numbers, .expr = call_other };

	sp_vec_each(func, &unit->funcs)
		ir_edit_stmts(func->body, &editor);
	sp_vec_each(prog, &unit->progs)
		ir_edit_stmts(prog->body, &editor);
}

static void drop_others(struct unify *u)
{
	struct ir_unit *unit = u->l->unit;
	uint32_t *numbers = u->next, n = 0;

	for (uint32_t i = 0; i < unit->funcs.n; i++) {
		if (u->same[i] != i) {
			sp_vec_deinit(&unit->funcs.v[i].locals);
			continue;
		}
		numbers[i] = n;
		unit->funcs.v[n] = unit->funcs.v[i];
		u->l->copy_of.v[n++] = u->l->copy_of.v[i];
	}
	unit->funcs.n = u->l->copy_of.n = n;
	renumber(unit, numbers);
}

void lower_unify(struct lower *l)
{
	struct unify u = { .l = l };
	uint32_t n = (uint32_t)l->unit->funcs.n;
	bool any = false;

	u.same = sp_calloc(n + 1, sizeof(*u.same));
	u.next = sp_calloc(n + 1, sizeof(*u.next));
	for (uint32_t i = 0; i < n; i++)
		u.same[i] = i;
	while (find_equal(&u)) {
		renumber(l->unit, u.same);
		memset(u.next, 0, n * sizeof(*u.next));
		any = true;
	}
	if (any)
		drop_others(&u);
	free(u.same);
	free(u.next);
}
