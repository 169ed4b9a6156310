// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_outline.h"

// All sizes here are estimates, in instructions of LLVM.
#define MAX_WHOLE 8000
#define MAX_OUTLINED 3000
#define CALL_SIZE 40 // of outlined statements or a function, where they are called
#define MIN_OWN 300 // smaller functions are inlined
#define MIN_SAVED 300
#define MIN_SAVED_IN_ALL 20000 // the programs share one, which takes LLVM a second less
#define MAX_OWN_DEPTH 2 // of functions that call each other and are not inlined: each takes a part of the 512 bytes of stack
#define MAX_FOLLOWED 5000 // of a function, at all places that call it: the verifier takes ten times that for it, with loops more, of a million
#define MAX_BESIDE 8000 // of a function beside recursion, at all places: smaller ones are inlined
#define MAX_INLINE_USER 30 // expressions: the VM's handlers call functions that have more
#define MAX_SIZE (1u << 24)
#define MAX_PROGRAM 1000000u // as many instructions as a kernel takes
#define MAX_COPIED 128 // bytes of strings that gen copies without a loop

struct env {
	struct plan *plan;
	bool has_outlined; // some statements of the body are
};

struct size {
	const struct plan *plan;
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

static uint32_t string_size(uint32_t cap)
{
	return 10 + SP_MIN(cap, (uint32_t)MAX_COPIED) / 4;
}

// The size of a call of a function that is not inlined: string arguments and results are copied through its frame.
static uint32_t call_size(const struct ir_func *func)
{
	uint32_t size = CALL_SIZE + (func->type == IR_STR ? string_size(func->cap) : 0);

	for (unsigned i = 0; i < func->n_params; i++)
		size += func->locals.v[i].type == IR_STR ? string_size(func->locals.v[i].cap) : 2;
	return size;
}

static void add_expr(void *ctx, const struct ir_expr *e)
{
	struct size *size = ctx;
	const struct ir_unit *unit = size->plan->unit;
	const struct plan_func *func = e->op == IR_CALL ? &size->plan->funcs[e->func] : NULL;
	uint32_t own = 2;

	if (func)
		own = func->is_called_in_kernel ? call_size(&unit->funcs.v[e->func]) : 10 + func->size;
	else if (e->type == IR_STR && e->op != IR_LOCAL && e->op != IR_GLOBAL)
		own = string_size(e->cap);
	else if (e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD)
		own = key_size(unit, e->map);
	else if (e->op == IR_STAT_GET)
		own = 60 + key_size(unit, e->map);
	else if (e->place != IR_NO_PLACE)
		own = 20; // may fail
	size->sum = plus(size->sum, own);
}

static uint32_t expr_size(const struct env *env, const struct ir_expr *e)
{
	struct size size = { .plan = env->plan };
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
		return plus(size, 20 + key_size(env->plan->unit, s->map));
	case IR_S_STAT_ADD: case IR_S_STAT_PRINT:
		return plus(size, 60 + key_size(env->plan->unit, s->map));
	case IR_S_FOREACH:
		return plus(size, 100 + key_size(env->plan->unit, s->map));
	case IR_S_FAIL: case IR_S_EMIT: case IR_S_EXIT: case IR_S_ABORT: case IR_S_STORE:
		return plus(size, 20);
	case IR_S_SET: case IR_S_GSET: case IR_S_EVAL: case IR_S_IF: case IR_S_LOOP: case IR_S_BREAK:
	case IR_S_CONTINUE: case IR_S_RETURN: case IR_S_TRY:
		break;
	}
	return size;
}

// Statements that follow each other are outlined together, as many as fit into one function.
static uint32_t outline(struct env *env, const struct ir_stmt *list, const uint32_t *sizes)
{
	const struct ir_stmt *first = list;
	uint32_t size = 0, whole = 0, i = 0;

	for (const struct ir_stmt *s = list; s; s = s->next, i++) {
		if (s != first && plus(size, sizes[i]) > MAX_OUTLINED) {
			first = s;
			size = 0;
		}
		if (s == first)
			whole = plus(whole, CALL_SIZE);
		size = plus(size, sizes[i]);
		env->plan->codes[first->id].outlined++;
	}
	env->has_outlined = true;
	return whole;
}

// Outlines until no list of statements, nested ones included, is larger than `most`. Returns the size that is left of this one.
static uint32_t outline_list(struct env *env, const struct ir_stmt *list, uint32_t most)
{
	SP_VEC(uint32_t) sizes = { 0 };
	uint32_t whole = 0;

	for (const struct ir_stmt *s = list; s; s = s->next) {
		const struct plan_code *code = &env->plan->codes[s->id];
		uint32_t rounds = code->form == PLAN_LOOP_UNROLL ? code->trips : 1, nested, size = own_size(env, s);

		nested = outline_list(env, s->then, most);
		nested = plus(nested, outline_list(env, s->otherwise, most));
		nested = plus(nested, outline_list(env, s->step, most));
		size = plus(size, (uint64_t)nested * rounds);
		sp_vec_push(&sizes, size);
		whole = plus(whole, size);
	}
	if (whole > most)
		whole = outline(env, list, sizes.v);
	sp_vec_deinit(&sizes);
	return whole;
}

static uint32_t body_size(struct plan *plan, const struct ir_stmt *body)
{
	struct env env = { .plan = plan };

	return outline_list(&env, body, MAX_SIZE);
}

static uint32_t outline_body(struct env *env, const struct ir_stmt *body)
{
	uint32_t size = outline_list(env, body, MAX_SIZE);

	return size > MAX_WHOLE ? outline_list(env, body, MAX_OUTLINED) : size;
}

// ---- functions of their own ---------------------------------------------------------------------

struct share {
	struct plan *plan;
	const struct plan_calls *calls;
	// By function.
	uint32_t **uses; // by program: how often it would be there
	uint32_t *level; // the longest chain of functions that call it and are not inlined themselves
	bool *is_beside; // a recursive function calls it, itself or by others
	uint32_t recursion_level; // the longest chain that calls a recursive one
	bool recursion_lacks_context; // such a chain has one that keeps_context
	bool *lacks_context; // one that keeps_context calls it, itself or by others
};

struct count {
	struct share *share;
	const uint32_t *times; // by program: how often the statements are there; NULL: once, in `prog`
	uint32_t prog, rounds;
};

static void add_uses(struct count *count, uint32_t func, uint32_t prog, uint64_t times)
{
	uint32_t *uses = &count->share->uses[func][prog];

	*uses = plus(*uses, times * count->rounds);
}

static void count_call(void *ctx, const struct ir_expr *e)
{
	struct count *count = ctx;

	if (e->op != IR_CALL)
		return;
	if (!count->times)
		add_uses(count, e->func, count->prog, 1);
	for (uint32_t i = 0; count->times && i < count->share->plan->unit->progs.n; i++)
		add_uses(count, e->func, i, count->times[i]);
}

static void count_stmts(struct count *count, const struct ir_stmt *list)
{
	struct ir_visitor visitor = { .ctx = count, .expr = count_call };
	uint32_t outer = count->rounds;

	for (const struct ir_stmt *s = list; s; s = s->next) {
		struct ir_stmt alone = *s;
		const struct plan_code *code;

		alone.next = alone.then = alone.otherwise = alone.step = NULL;
		ir_walk_stmts(&alone, &visitor);
		code = &count->share->plan->codes[s->id];
		if (code->form == PLAN_LOOP_UNROLL)
			count->rounds = (uint32_t)SP_MIN((uint64_t)outer * code->trips, (uint64_t)MAX_SIZE);
		count_stmts(count, s->then);
		count_stmts(count, s->step);
		count->rounds = outer;
		count_stmts(count, s->otherwise);
	}
}

static bool saves(const struct ir_func *func, uint32_t size, uint64_t n_places, uint32_t least)
{
	return size * n_places >= size + n_places * call_size(func) + least;
}

// Is a call smaller than the function where that is, in one program or in hundreds?
static bool is_smaller(const struct ir_func *func, const struct plan_func *p, uint64_t n_in_all)
{
	return (p->size >= MIN_OWN && saves(func, p->size, p->n_places, MIN_SAVED)) || saves(func, p->size, n_in_all, MIN_SAVED_IN_ALL);
}

// Recursive functions are in a program once, all in one function.
static void count_recursive(struct share *share)
{
	const struct plan *plan = share->plan;
	uint32_t *once = sp_calloc(plan->unit->progs.n + 1, sizeof(*once));
	struct count count = { .share = share, .times = once, .rounds = 1 };

	for (size_t i = 0; i < plan->unit->progs.n; i++)
		once[i] = plan->progs[i].in_kernel && plan->progs[i].recurses;
	for (size_t i = 0; i < plan->unit->funcs.n; i++) {
		uint32_t index = share->calls->order[plan->unit->funcs.n - 1 - i];
		const struct plan_callees *callees = &share->calls->funcs[index];
		bool is_recursive = plan->funcs[index].is_recursive;

		if (is_recursive)
			count_stmts(&count, plan->unit->funcs.v[index].body);
		for (size_t k = 0; k < callees->v.n; k++)
			share->is_beside[callees->v.v[k]] |= is_recursive || share->is_beside[index];
	}
	free(once);
}

static bool is_large_beside(const struct plan_func *func)
{
	return plus(0, (uint64_t)func->size * func->n_places) > MAX_BESIDE;
}

// What recurses is a handler's alone: what recursive functions call is a part of their code when they may pause there. Both take a part of
// the stack that they would not take inlined.
static bool can_be_called(const struct share *share, uint32_t index)
{
	const struct plan_func *func = &share->plan->funcs[index];

	uint32_t level = share->level[index];

	if (!func->recurses && !share->is_beside[index])
		return level < MAX_OWN_DEPTH;
	if (func->is_recursive || !is_large_beside(func))
		return false;
	if (func->recurses)
		return !share->is_beside[index] && !level;
	return SP_MAX(level, share->recursion_level + 1) < MAX_OWN_DEPTH;
}

// What recursive functions call and may pause in its middle can be one of them.
static bool can_pause(const struct share *share, uint32_t index)
{
	const struct plan_func *func = &share->plan->funcs[index];

	return func->in_kernel && func->recurses && share->is_beside[index] && is_large_beside(func);
}

// Is called in an order in which callers come first, so that what they are is known, and all that recursive functions call comes last.
static void decide_own(struct share *share, uint32_t index)
{
	const struct ir_unit *unit = share->plan->unit;
	struct plan_func *func = &share->plan->funcs[index];
	const struct plan_callees *callees = &share->calls->funcs[index];
	uint32_t *uses = share->uses[index];
	struct count count = { .share = share, .times = uses, .rounds = 1 };
	bool is_recursive = func->is_recursive; // by itself: it has been counted
	uint64_t n_in_all = 0;

	for (size_t i = 0; i < unit->progs.n; i++) {
		func->n_places = SP_MAX(func->n_places, uses[i]);
		n_in_all += func->recurses || func->reads_site ? 0 : uses[i]; // others can be shared
	}
	func->is_recursive |= can_pause(share, index) && is_smaller(&unit->funcs.v[index], func, 0);
	func->is_called_in_kernel = func->in_kernel && can_be_called(share, index) && is_smaller(&unit->funcs.v[index], func, n_in_all);
	func->is_followed_once = func->is_called_in_kernel && plus(0, (uint64_t)func->size * func->n_places) > MAX_FOLLOWED;
	share->lacks_context[index] |= share->is_beside[index] && share->recursion_lacks_context;
	func->keeps_context = func->is_followed_once || (share->lacks_context[index] && (func->is_called_in_kernel || func->is_recursive));
	func->is_beside_recursion = func->is_called_in_kernel && share->is_beside[index];
	share->plan->stacks |= func->keeps_context ? func->stacks : 0;
	for (size_t i = 0; (func->is_called_in_kernel || func->is_recursive) && i < unit->progs.n; i++)
		uses[i] = SP_MIN(uses[i], 1u);
	for (size_t i = 0; i < callees->v.n; i++) {
		uint32_t callee = callees->v.v[i], level = share->level[index] + func->is_called_in_kernel;

		share->level[callee] = SP_MAX(share->level[callee], level);
		share->lacks_context[callee] |= func->keeps_context || share->lacks_context[index];
		if (!share->plan->funcs[callee].is_recursive || share->is_beside[index])
			continue;
		share->recursion_level = SP_MAX(share->recursion_level, level);
		share->recursion_lacks_context |= share->lacks_context[callee];
	}
	if (!is_recursive)
		count_stmts(&count, unit->funcs.v[index].body);
}

struct user_count {
	const struct plan *plan;
	uint32_t *inlined; // by function: its expressions, with those of the functions that are inlined in it
	uint32_t sum;
};

static void count_expr(void *ctx, const struct ir_expr *e)
{
	struct user_count *count = ctx;

	count->sum++;
	if (e->op == IR_CALL && !count->plan->funcs[e->func].is_called_in_user)
		count->sum = plus(count->sum, count->inlined[e->func]);
}

// The VM's handlers call all but small functions: inlined, code would grow with each place that calls.
static void decide_user(struct plan *plan, const struct plan_calls *calls)
{
	const struct ir_unit *unit = plan->unit;
	struct user_count count = { .plan = plan, .inlined = sp_calloc(unit->funcs.n + 1, sizeof(*count.inlined)) };
	struct ir_visitor visitor = { .ctx = &count, .expr = count_expr };

	for (size_t i = 0; i < unit->funcs.n; i++) {
		uint32_t index = calls->order[i];
		struct plan_func *func = &plan->funcs[index];

		count.sum = 0;
		ir_walk_stmts(unit->funcs.v[index].body, &visitor);
		count.inlined[index] = count.sum;
		func->is_called_in_user = func->in_user && (func->is_recursive || func->is_called_in_kernel ||
							    count.sum > MAX_INLINE_USER);
	}
	free(count.inlined);
}

static bool calls_one(const struct plan_callees *callees, const bool *funcs)
{
	for (size_t i = 0; i < callees->v.n; i++)
		if (funcs[callees->v.v[i]])
			return true;
	return false;
}

// Programs keep a state when a function that they reach is called, not inlined.
static void decide_state(struct plan *plan, const struct plan_calls *calls)
{
	bool *in_kernel = sp_calloc(calls->n_funcs + 1, sizeof(*in_kernel));
	bool *in_user = sp_calloc(calls->n_funcs + 1, sizeof(*in_user));

	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t index = calls->order[i];
		const struct plan_func *func = &plan->funcs[index];
		const struct plan_callees *callees = &calls->funcs[index];

		in_kernel[index] = func->is_called_in_kernel || func->is_recursive || calls_one(callees, in_kernel);
		in_user[index] = func->is_called_in_user || calls_one(callees, in_user);
	}
	for (size_t i = 0; i < calls->n_progs; i++) {
		struct plan_prog *p = &plan->progs[i];

		p->keeps_state = p->in_kernel && calls_one(&calls->progs[i], in_kernel);
		p->keeps_state_in_user = p->in_user && calls_one(&calls->progs[i], in_user);
	}
	free(in_kernel);
	free(in_user);
}

static bool is_in_several(const struct share *share, uint32_t index)
{
	size_t n = 0;

	for (size_t i = 0; i < share->plan->unit->progs.n && n < 2; i++)
		n += share->uses[index][i] != 0;
	return n > 1;
}

// Code that asks for what only its handler has is the handler's alone, and so is what calls such a function.
static void decide_shared(struct share *share)
{
	const struct plan_calls *calls = share->calls;
	bool *alone = sp_calloc(calls->n_funcs + 1, sizeof(*alone));

	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t index = calls->order[i];
		struct plan_func *func = &share->plan->funcs[index];

		alone[index] = func->recurses || func->is_beside_recursion || func->reads_site ||
			       calls_one(&calls->funcs[index], alone);
		func->is_shared = func->is_called_in_kernel && !alone[index] && is_in_several(share, index);
		share->plan->shares |= func->is_shared;
	}
	free(alone);
}

static void share_functions(struct plan *plan, const struct plan_calls *calls)
{
	const struct ir_unit *unit = plan->unit;
	struct share share = { .plan = plan, .calls = calls };

	share.uses = sp_calloc(unit->funcs.n + 1, sizeof(*share.uses));
	share.level = sp_calloc(unit->funcs.n + 1, sizeof(*share.level));
	share.is_beside = sp_calloc(unit->funcs.n + 1, sizeof(*share.is_beside));
	share.lacks_context = sp_calloc(unit->funcs.n + 1, sizeof(*share.lacks_context));
	for (size_t i = 0; i < unit->funcs.n; i++)
		share.uses[i] = sp_calloc(unit->progs.n + 1, sizeof(**share.uses));
	for (uint32_t i = 0; i < unit->progs.n; i++) {
		struct count count = { .share = &share, .prog = i, .rounds = 1 };

		if (plan->progs[i].in_kernel)
			count_stmts(&count, unit->progs.v[i].body);
	}
	count_recursive(&share);
	for (int beside = 0; beside < 2; beside++)
		for (size_t i = unit->funcs.n; i; i--)
			if (share.is_beside[calls->order[i - 1]] == beside)
				decide_own(&share, calls->order[i - 1]);
	decide_shared(&share);
	for (size_t i = 0; i < unit->funcs.n; i++)
		free(share.uses[i]);
	decide_user(plan, calls);
	decide_state(plan, calls);
	free(share.uses);
	free(share.level);
	free(share.is_beside);
	free(share.lacks_context);
}

// ---- all ----------------------------------------------------------------------------------------

// The size of a body with everything that is inlined in it.
static void set_sizes(struct plan *plan, const struct plan_calls *calls)
{
	for (size_t i = 0; i < calls->n_funcs; i++)
		plan->funcs[calls->order[i]].size = body_size(plan, plan->unit->funcs.v[calls->order[i]].body);
	for (size_t i = 0; i < plan->unit->progs.n; i++)
		plan->progs[i].size = body_size(plan, plan->unit->progs.v[i].body);
}

static bool refuse_large(const struct plan_env *env, uint32_t place, uint32_t size)
{
	struct diag *d;

	if (size <= MAX_PROGRAM)
		return false;
	d = diag(env->dc, plan_span(env, place), DIAG_FIT_SIZE, "with what it calls, this comes to more than %u instructions",
		 MAX_PROGRAM);
	diag_hint(env->dc, d, "most functions are inlined where they are called: call them at fewer places, or in a loop");
	return true;
}

// Refuses programs that no kernel loads, for which LLVM would take hours and all memory. The size of a program does not include
// functions that are called.
static void refuse_all_large(const struct plan_env *env, const struct plan_calls *calls)
{
	const struct ir_unit *unit = env->unit;
	struct plan *plan = env->plan;

	for (size_t i = 0; i < unit->funcs.n; i++) {
		uint32_t index = calls->order[i];

		if (plan->funcs[index].is_called_in_kernel && refuse_large(env, unit->funcs.v[index].place, plan->funcs[index].size))
			return; // one report is enough: its callers are as large
	}
	for (size_t i = 0; i < unit->progs.n; i++)
		if (plan->progs[i].in_kernel)
			refuse_large(env, unit->progs.v[i].place, plan->progs[i].size);
}

static void decide_outlines_in_user(struct plan *plan, const struct plan_calls *calls)
{
	bool *inlined = sp_calloc(calls->n_funcs + 1, sizeof(*inlined)); // has outlined statements where its caller's code is

	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t index = calls->order[i];
		const struct plan_func *func = &plan->funcs[index];

		inlined[index] = !func->is_called_in_user && (func->has_outlined || calls_one(&calls->funcs[index], inlined));
	}
	for (size_t i = 0; i < calls->n_progs; i++)
		plan->progs[i].outlines_in_user = plan->progs[i].has_outlined || calls_one(&calls->progs[i], inlined);
	free(inlined);
}

void plan_outline(const struct plan_env *env, const struct plan_calls *calls)
{
	const struct ir_unit *unit = env->unit;
	struct plan *plan = env->plan;

	set_sizes(plan, calls); // first as if every function were inlined
	share_functions(plan, calls);
	set_sizes(plan, calls);
	for (size_t i = 0; i < unit->funcs.n; i++)
		plan->shared_size += plan->funcs[i].is_shared ? plan->funcs[i].size : 0;
	refuse_all_large(env, calls);
	for (size_t i = 0; i < unit->funcs.n; i++) {
		uint32_t index = calls->order[i];
		struct env body = { .plan = plan };

		plan->funcs[index].size = outline_body(&body, unit->funcs.v[index].body);
		plan->funcs[index].has_outlined = body.has_outlined;
	}
	for (size_t i = 0; i < unit->progs.n; i++) {
		struct env body = { .plan = plan };

		outline_body(&body, unit->progs.v[i].body);
		plan->progs[i].has_outlined = body.has_outlined;
	}
	decide_outlines_in_user(plan, calls);
}
