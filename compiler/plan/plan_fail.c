// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_fail.h"

enum engines { IN_KERNEL = 1, IN_USER = 2, IN_BOTH = 3 };

struct failures {
	const struct plan *plan;
	bool limits_calls; // MAXNESTING is less than the script's functions need
	unsigned engines; // in which the body fails
};

// ---- what fails by itself -----------------------------------------------------------------------

// A new element in a full array fails. Where the array wraps, the kernel makes room by taking out the oldest element, and an
// aggregate without keys is always there, so only the user engine can fail.
static unsigned full_map(const struct failures *f, uint32_t index)
{
	const struct ir_map *map = &f->plan->unit->maps.v[index];

	return map->wraps || !map->n_keys ? IN_USER : IN_BOTH;
}

static unsigned called(const struct failures *f, uint32_t func)
{
	const struct plan_func *callee = &f->plan->funcs[func];

	if (f->limits_calls || callee->is_recursive)
		return IN_BOTH;
	return (callee->fails_in_kernel ? IN_KERNEL : 0) | (callee->fails_in_user ? IN_USER : 0);
}

static unsigned failing_builtin(const struct ir_expr *e)
{
	if (e->builtin == BUILTIN_MATCHED || e->builtin == BUILTIN_NGROUPS)
		return IN_BOTH;
	if (e->builtin == BUILTIN_PERF)
		return IN_KERNEL;
	return e->builtin == BUILTIN_TASK_CURRENT ? IN_USER : 0;
}

static unsigned failing_expr(const struct failures *f, const struct ir_expr *e)
{
	switch (e->op) {
	case IR_DIV: case IR_MOD: case IR_UDIV: case IR_UMOD:
		return e->b->op != IR_CONST || e->b->value == 0 ? IN_BOTH : 0;
	case IR_LOAD:
		return e->space != IR_SPACE_TASK && !e->b && !f->plan->unit->faults_are_zero ? IN_BOTH : 0;
	case IR_LOADSTR:
		return e->b ? 0 : IN_BOTH;
	case IR_LOADMEM: case IR_STAT_TEXT:
		return IN_BOTH;
	case IR_STAT_GET:
		return e->stat != SP_STAT_COUNT && e->stat != SP_STAT_SUM ? IN_BOTH : 0;
	case IR_MAP_ADD:
		return full_map(f, e->map);
	case IR_BUILTIN:
		return failing_builtin(e);
	case IR_CALL:
		return called(f, e->func);
	case IR_CONST: case IR_LITERAL: case IR_LOCAL: case IR_GLOBAL: case IR_FIXUP: case IR_CTX: case IR_REG: case IR_NEG: case IR_NOT:
	case IR_LNOT: case IR_ADD: case IR_SUB: case IR_MUL: case IR_AND: case IR_OR: case IR_XOR: case IR_SHL: case IR_SHR:
	case IR_USHR: case IR_EQ: case IR_NE: case IR_LT: case IR_LE: case IR_GT: case IR_GE: case IR_LAND: case IR_LOR:
	case IR_COND: case IR_SEXT: case IR_ZEXT: case IR_CAPTURE: case IR_CONCAT: case IR_STRLEN: case IR_MATCH:
	case IR_MAP_GET: case IR_MAP_HAS: case IR_GLOBAL_ADD: case IR_SITE: case IR_SYMBOLS: case IR_SPRINTF: case IR_EMBED:
	case IR_SEQ:
		break;
	}
	return 0;
}

static unsigned failing_stmt(const struct failures *f, const struct ir_stmt *s)
{
	switch (s->op) {
	case IR_S_MAP_SET: case IR_S_STAT_ADD:
		return full_map(f, s->map);
	case IR_S_STAT_PRINT: case IR_S_STORE: case IR_S_FAIL:
		return IN_BOTH;
	case IR_S_LOOP: // MAXACTION
		return f->plan->codes[s->id].form != PLAN_LOOP_UNROLL ? IN_BOTH : 0;
	case IR_S_FOREACH:
		return IN_BOTH;
	case IR_S_SET: case IR_S_GSET: case IR_S_MAP_DEL: case IR_S_MAP_CLEAR: case IR_S_EMIT: case IR_S_EVAL: case IR_S_IF:
	case IR_S_BREAK: case IR_S_CONTINUE: case IR_S_RETURN: case IR_S_EXIT: case IR_S_ABORT: case IR_S_TRY:
		break;
	}
	return 0;
}

// ---- bodies -------------------------------------------------------------------------------------

static void look_at_stmts(struct failures *f, const struct ir_stmt *list);

static void look_at_expr(struct failures *f, const struct ir_expr *e)
{
	if (!e)
		return;
	f->engines |= failing_expr(f, e);
	look_at_stmts(f, e->stmts);
	for (unsigned i = 0; i < e->n_args; i++)
		look_at_expr(f, e->args[i]);
	look_at_expr(f, e->a);
	look_at_expr(f, e->b);
	look_at_expr(f, e->c);
}

static void look_at_stmts(struct failures *f, const struct ir_stmt *list)
{
	for (const struct ir_stmt *s = list; s; s = s->next) {
		f->engines |= failing_stmt(f, s);
		for (unsigned i = 0; i < s->n_args; i++)
			look_at_expr(f, s->args[i]);
		look_at_expr(f, s->a);
		look_at_expr(f, s->b);
		look_at_expr(f, s->foreach.limit);
		if (s->op != IR_S_TRY) // a TRY catches the failures of its body
			look_at_stmts(f, s->then);
		look_at_stmts(f, s->step);
		look_at_stmts(f, s->otherwise);
	}
}

static struct failures failures_of(const struct plan *plan)
{
	return (struct failures){ .plan = plan, .limits_calls = plan->max_nesting < plan->needed_nesting };
}

static unsigned fails(const struct plan *plan, const struct ir_stmt *body)
{
	struct failures f = failures_of(plan);

	look_at_stmts(&f, body);
	return f.engines;
}

bool plan_fail_may(const struct plan *plan, const struct ir_expr *e)
{
	struct failures f = failures_of(plan);

	look_at_expr(&f, e);
	return f.engines;
}

void plan_fail(struct plan *plan, const struct plan_calls *calls)
{
	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t index = calls->order[i];
		struct plan_func *f = &plan->funcs[index];
		// A recursive function can always fail, by MAXNESTING, so the functions that it calls make no difference.
		unsigned engines = f->is_recursive ? IN_BOTH : fails(plan, plan->unit->funcs.v[index].body);

		f->fails_in_kernel = engines & IN_KERNEL;
		f->fails_in_user = engines & IN_USER;
	}
	for (size_t i = 0; i < calls->n_progs; i++) {
		struct plan_prog *p = &plan->progs[i];
		unsigned engines = fails(plan, plan->unit->progs.v[i].body);

		p->fails_in_kernel = p->in_kernel && engines & IN_KERNEL;
		p->fails_in_user = p->in_user && engines & IN_USER;
	}
}

// ---- the script's end ---------------------------------------------------------------------------

static bool has_return(const struct ir_stmt *s)
{
	for (; s; s = s->next)
		if (s->op == IR_S_RETURN || has_return(s->then) || has_return(s->otherwise))
			return true;
	return false;
}

static bool always_exits(const struct ir_stmt *body)
{
	for (const struct ir_stmt *s = body; s; s = s->next) {
		if (s->op == IR_S_EXIT || s->op == IR_S_ABORT)
			return true;
		if (s->op == IR_S_RETURN || has_return(s->then) || has_return(s->otherwise))
			return false;
	}
	return false;
}

// Does every run of the program reach exit()? A run that may fail before, or that may get no scratch frame or no lock, does not:
// the script then goes on. An iterator's runs come one after the other, and one that finds no room is asked for again.
static bool is_one_shot(const struct plan *plan, const struct plan_prog *p, enum sp_prog_kind kind, const struct ir_stmt *body)
{
	return p->in_kernel && kind != SP_PROG_ITER && target_has(&plan->unit->target, SP_FEATURE_ATOMICS) && !p->scratch_size && !p->lock &&
	       !(p->fails_in_kernel && plan->unit->max_errors) && always_exits(body);
}

// Its handlers run when those of the kernel are detached.
static bool is_at_end(const struct ir_unit *unit, const struct ir_prog *prog)
{
	for (unsigned i = 0; i < prog->n_sites; i++)
		if (unit->sites.v[prog->first_site + i].kind != SP_SITE_END && unit->sites.v[prog->first_site + i].kind != SP_SITE_ERROR)
			return false;
	return true;
}

void plan_ends(struct plan *plan)
{
	unsigned n_hooks = 0;

	for (size_t i = 0; i < plan->unit->progs.n; i++) {
		struct plan_prog *p = &plan->progs[i];

		p->is_one_shot = is_one_shot(plan, p, plan->unit->progs.v[i].kind, plan->unit->progs.v[i].body);
		plan->can_end |= p->can_exit || p->fails_in_kernel || (p->fails_in_user && !is_at_end(plan->unit, &plan->unit->progs.v[i]));
		n_hooks += p->in_kernel ? plan->unit->progs.v[i].n_sites : 0;
	}
	plan->starts_at_once = n_hooks > 1;
	for (size_t i = 0; i < plan->unit->progs.n; i++)
		plan->progs[i].goes_on = plan->progs[i].sends_again && plan->can_end;
}
