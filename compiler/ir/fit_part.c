// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/fit_part.h"

// Instructions of LLVM, about: gen takes 15,000.
#define MAX_WHOLE 8000
#define MAX_PART 3000
#define CALL_SIZE 40 // of a part, where it is called
#define MAX_SIZE (1u << 24)
#define MAX_COPIED 128 // bytes of strings that gen copies without a loop

struct env {
	const struct ir_unit *unit;
	bool is_parted; // a part has been made
};

struct size {
	const struct ir_unit *unit;
	uint32_t sum;
};

static uint32_t plus(uint32_t size, uint64_t more)
{
	return (uint32_t)SP_MIN(size + more, (uint64_t)MAX_SIZE);
}

static uint32_t key_size(const struct ir_unit *unit, uint32_t map)
{
	return 10 + unit->maps.v[map].key_size / 4;
}

static void add_expr(void *ctx, struct ir_expr *e)
{
	struct size *size = ctx;
	uint32_t own = 2;

	if (e->op == IR_CALL)
		own = 10 + size->unit->funcs.v[e->index].size;
	else if (e->type == IR_STR && e->op != IR_LOCAL && e->op != IR_GLOBAL)
		own = 10 + SP_MIN(e->cap, (uint32_t)MAX_COPIED) / 4;
	else if (e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD)
		own = key_size(size->unit, e->index);
	else if (e->op == IR_STAT_GET)
		own = 60 + key_size(size->unit, e->index);
	else if (e->place != IR_NO_PLACE)
		own = 20; // may fail
	size->sum = plus(size->sum, own);
}

static uint32_t expr_size(const struct env *env, struct ir_expr *e)
{
	struct size size = { .unit = env->unit };
	struct ir_visitor visitor = { .ctx = &size, .expr = add_expr };

	if (e)
		ir_walk_expr(e, &visitor);
	return size.sum;
}

static uint32_t own_size(const struct env *env, const struct ir_stmt *s)
{
	uint32_t size = 4;

	size = plus(size, expr_size(env, s->a));
	size = plus(size, expr_size(env, s->b));
	for (unsigned i = 0; i < s->n_args; i++)
		size = plus(size, 4 + expr_size(env, s->args[i]));
	switch (s->op) {
	case IR_S_MAP_SET: case IR_S_MAP_DEL: case IR_S_MAP_CLEAR:
		return plus(size, 20 + key_size(env->unit, s->index));
	case IR_S_STAT_ADD: case IR_S_STAT_PRINT:
		return plus(size, 60 + key_size(env->unit, s->index));
	case IR_S_FOREACH:
		return plus(size, 100 + key_size(env->unit, s->index));
	case IR_S_FAIL: case IR_S_EMIT: case IR_S_EXIT: case IR_S_ABORT: case IR_S_STORE:
		return plus(size, 20);
	case IR_S_SET: case IR_S_GSET: case IR_S_EVAL: case IR_S_IF: case IR_S_LOOP: case IR_S_BREAK:
	case IR_S_CONTINUE: case IR_S_RETURN: case IR_S_TRY:
		break;
	}
	return size;
}

// Groups of neighbours, each as large as it may be.
static uint32_t group(struct env *env, struct ir_stmt *list, const uint32_t *sizes)
{
	struct ir_stmt *first = list;
	uint32_t size = 0, whole = 0, i = 0;

	for (struct ir_stmt *s = list; s; s = s->next, i++) {
		if (s != first && plus(size, sizes[i]) > MAX_PART) {
			first = s;
			size = 0;
		}
		if (s == first)
			whole = plus(whole, CALL_SIZE);
		size = plus(size, sizes[i]);
		first->part++;
	}
	env->is_parted = true;
	return whole;
}

// The size that is left of the list when no list in it is larger than `most`.
static uint32_t part_list(struct env *env, struct ir_stmt *list, uint32_t most)
{
	SP_VEC(uint32_t) sizes = { 0 };
	uint32_t whole = 0;

	for (struct ir_stmt *s = list; s; s = s->next) {
		uint32_t rounds = s->op == IR_S_LOOP && s->form == IR_LOOP_UNROLL ? s->trips : 1, nested, size = own_size(env, s);

		nested = part_list(env, s->then, most);
		nested = plus(nested, part_list(env, s->otherwise, most));
		nested = plus(nested, part_list(env, s->step, most));
		size = plus(size, (uint64_t)nested * rounds);
		sp_vec_push(&sizes, size);
		whole = plus(whole, size);
	}
	if (whole > most)
		whole = group(env, list, sizes.v);
	sp_vec_deinit(&sizes);
	return whole;
}

static uint32_t part_body(struct env *env, struct ir_stmt *body)
{
	uint32_t size = part_list(env, body, MAX_SIZE);

	return size > MAX_WHOLE ? part_list(env, body, MAX_PART) : size;
}

void fit_part(struct ir_unit *unit, const struct fit_calls *calls)
{
	for (size_t i = 0; i < unit->funcs.n; i++) {
		struct ir_func *func = &unit->funcs.v[calls->order[i]];
		struct env env = { .unit = unit };

		func->size = part_body(&env, func->body);
		func->is_parted = env.is_parted;
	}
	sp_vec_each(prog, &unit->progs) {
		struct env env = { .unit = unit };

		part_body(&env, prog->body);
		prog->is_parted = env.is_parted;
	}
}
