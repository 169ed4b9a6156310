// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_lock.h"

#include "compiler/plan/plan_private.h"
#include "compiler/plan/plan_touch.h"
#include "runtime/base/util.h"

#include <stdlib.h>

// What one handler does with one global that several handlers share and somebody changes.
struct use {
	uint32_t global;
	struct touch touch;
};

struct handler {
	uint32_t prog;
	SP_VEC(struct use) uses;
};

struct global {
	bool is_private;
	bool is_wide; // no number: its value is not read or stored at once
	bool is_array;
	bool is_changed; // by any handler that runs with others
	bool is_in_kernel, is_read_in_kernel, is_set; // by kernel handlers; by any
	bool is_changed_twice; // by some handler in one run
	bool is_paired; // with another global
	const char *locked; // why it is; NULL: it is not
	uint32_t candidate; // its number among those that may be paired
	uint32_t group; // another global of its lock, or itself
	uint32_t lock;
};

struct locks {
	struct plan *plan;
	struct touches touches;
	struct global *globals;
	SP_VEC(struct handler) handlers; // that run with others
};

// ---- what handlers do -------------------------------------------------------------------------------------------------

static bool changes(const struct touch *t)
{
	return t->adds || t->sets;
}

static bool runs_in_kernel(const struct locks *l, const struct handler *h)
{
	return l->plan->progs[h->prog].in_kernel;
}

static void describe_globals(struct locks *l)
{
	const struct ir_unit *unit = l->plan->unit;
	bool *private = sp_calloc(unit->maps.n + 1, sizeof(*private));

	plan_private(l->plan, private);
	for (uint32_t i = 0; i < unit->globals.n; i++)
		l->globals[i].is_wide = unit->globals.v[i].type == IR_STR;
	for (uint32_t i = 0; i < unit->maps.n; i++) {
		struct global *g = &l->globals[touches_map(l->plan, i)];

		g->is_private = private[i];
		g->is_array = true;
		g->is_wide = unit->maps.v[i].kind != SP_MAP_STAT && unit->maps.v[i].value_type == IR_STR;
	}
	for (uint32_t i = 0; i < l->touches.n; i++)
		l->globals[i].group = i;
	free(private);
}

static void note_use(struct locks *l, const struct handler *h, const struct use *use)
{
	struct global *g = &l->globals[use->global];
	const struct touch *t = &use->touch;

	g->is_changed |= changes(t);
	g->is_set |= t->sets;
	g->is_in_kernel |= runs_in_kernel(l, h);
	g->is_read_in_kernel |= (t->reads || t->fetches) && runs_in_kernel(l, h);
	g->is_changed_twice |= t->adds + t->sets > 1;
}

static void look_at_handlers(struct locks *l)
{
	struct touch *all = sp_calloc(l->touches.n + 1, sizeof(*all));

	for (uint32_t i = 0; i < l->plan->unit->progs.n; i++) {
		struct handler h = { .prog = i };

		if (!plan_is_concurrent(l->plan, i))
			continue;
		memset(all, 0, l->touches.n * sizeof(*all));
		touches_add(&l->touches, l->plan->unit->progs.v[i].body, all);
		for (uint32_t k = 0; k < l->touches.n; k++) {
			struct use use = { .global = k, .touch = all[k] };

			if (!touch_is_any(&all[k]) || l->globals[k].is_private)
				continue;
			note_use(l, &h, &use);
			sp_vec_push(&h.uses, use);
		}
		sp_vec_push(&l->handlers, h);
	}
	free(all);
}

// ---- one global -------------------------------------------------------------------------------------------------------

// How others can tell what a handler in the kernel does with the global from one operation; NULL: they cannot.
static const char *is_several(const struct global *g, const struct touch *t)
{
	if (t->sets && (t->reads || t->fetches))
		return "a handler reads and sets it";
	if (t->adds && (t->reads || (t->fetches && t->adds > 1)))
		return "a handler reads it and adds to it";
	if (t->reads > 1 && g->is_changed)
		return "a handler reads it twice, or walks it, while others change it";
	if (t->adds + t->sets > 1 && t->sets && g->is_read_in_kernel)
		return "a handler changes it twice, and others read it";
	return g->is_wide && g->is_set && (g->is_array ? t->reads > 0 : true) ? "its texts are not set at once" : NULL;
}

static void lock_single_ones(struct locks *l)
{
	sp_vec_each(h, &l->handlers)
		if (runs_in_kernel(l, h))
			sp_vec_each(use, &h->uses) {
				struct global *g = &l->globals[use->global];

				g->locked = g->locked ? g->locked : is_several(g, &use->touch);
			}
}

// ---- pairs of globals -------------------------------------------------------------------------------------------------

enum { READS = 1, ADDS = 2, SETS = 4, WAYS = 8 }; // ways to use a global

static unsigned way_of(const struct touch *t)
{
	return (t->reads || t->fetches ? READS : 0) | (t->adds ? ADDS : 0) | (t->sets ? SETS : 0);
}

static bool commute(unsigned a, unsigned b)
{
	if ((a | b) & SETS)
		return false;
	return !((a & ADDS && b & READS) || (a & READS && b & ADDS));
}

// `ways`: bits, by way of the first global * WAYS + that of the second, of what handlers do.
static bool is_torn(uint64_t ways)
{
	for (unsigned a = 0; a < WAYS * WAYS && ways >> a; a++)
		for (unsigned b = a; ways >> a & 1 && b < WAYS * WAYS && ways >> b; b++)
			if (ways >> b & 1 && !commute(a / WAYS, b / WAYS) && !commute(a % WAYS, b % WAYS))
				return true;
	return false;
}

// Those that somebody changes and a kernel handler uses beside another such.
static uint32_t number_candidates(struct locks *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->touches.n; i++)
		l->globals[i].candidate = UINT32_MAX;
	sp_vec_each(h, &l->handlers) {
		uint32_t changed = 0;

		sp_vec_each(use, &h->uses)
			changed += l->globals[use->global].is_changed;
		if (!runs_in_kernel(l, h) || changed < 2)
			continue;
		sp_vec_each(use, &h->uses) {
			struct global *g = &l->globals[use->global];

			if (g->is_changed && g->candidate == UINT32_MAX)
				g->candidate = n++;
		}
	}
	return n;
}

// Each pair is at the lower number's row.
static void note_pairs(struct locks *l, const struct handler *h, uint64_t *ways, uint32_t n)
{
	sp_vec_each(a, &h->uses) {
		uint32_t row = l->globals[a->global].candidate;

		sp_vec_each(b, &h->uses) {
			uint32_t column = l->globals[b->global].candidate;

			if (row < column && column < n)
				ways[(size_t)row * n + column] |= 1ull << (way_of(&a->touch) * WAYS + way_of(&b->touch));
		}
	}
}

static void pair(struct locks *l, const struct handler *h, const uint64_t *ways, uint32_t n)
{
	sp_vec_each(a, &h->uses)
		sp_vec_each(b, &h->uses) {
			struct global *x = &l->globals[a->global], *y = &l->globals[b->global];

			if (x->candidate >= y->candidate || y->candidate >= n || (x->is_paired && y->is_paired) ||
			    !is_torn(ways[(size_t)x->candidate * n + y->candidate]))
				continue;
			x->is_paired = y->is_paired = true;
			x->locked = x->locked ? x->locked : "handlers use it together with another global";
			y->locked = y->locked ? y->locked : "handlers use it together with another global";
		}
}

static void lock_pairs(struct locks *l)
{
	uint32_t n = number_candidates(l);
	uint64_t *ways = sp_calloc((size_t)n * n + 1, sizeof(*ways));

	sp_vec_each(h, &l->handlers)
		if (runs_in_kernel(l, h))
			note_pairs(l, h, ways, n);
	sp_vec_each(h, &l->handlers)
		if (runs_in_kernel(l, h))
			pair(l, h, ways, n);
	free(ways);
}

// ---- locks ------------------------------------------------------------------------------------------------------------

static bool needs_lock(const struct locks *l, const struct handler *h, const struct use *use)
{
	const struct global *g = &l->globals[use->global];

	if (!g->locked)
		return false;
	if (!runs_in_kernel(l, h))
		return changes(&use->touch) || g->is_wide;
	return changes(&use->touch) || use->touch.reads > 1 || g->is_wide || g->is_paired || g->is_changed_twice;
}

static uint32_t group_of(struct locks *l, uint32_t global)
{
	while (l->globals[global].group != global)
		global = l->globals[global].group;
	return global;
}

static void join(struct locks *l, const struct handler *h)
{
	uint32_t first = SP_NONE;

	sp_vec_each(use, &h->uses) {
		if (!needs_lock(l, h, use))
			continue;
		if (first == SP_NONE)
			first = group_of(l, use->global);
		l->globals[group_of(l, use->global)].group = first;
	}
}

static void number_locks(struct locks *l)
{
	struct plan *plan = l->plan;

	for (uint32_t i = 0; i < l->touches.n; i++) {
		struct global *g = &l->globals[group_of(l, i)];

		if (!l->globals[i].locked)
			continue;
		plan->lock_causes[i] = l->globals[i].locked;
		if (!g->lock)
			g->lock = ++plan->n_locks;
		if (i < plan->unit->globals.n)
			plan->global_locks[i] = g->lock;
		else
			plan->maps[i - plan->unit->globals.n].lock = g->lock;
		l->globals[i].lock = g->lock;
	}
}

// ---- where handlers hold them -----------------------------------------------------------------------------------------

struct holder {
	const struct locks *l;
	const struct handler *h;
	struct touch *all; // room for what a statement does
};

static bool has_locked(const struct holder *w)
{
	for (uint32_t i = 0; i < w->l->touches.n; i++) {
		const struct use use = { .global = i, .touch = w->all[i] };

		if (touch_is_any(&w->all[i]) && w->l->globals[i].lock && needs_lock(w->l, w->h, &use))
			return true;
	}
	return false;
}

// Without what a handler in the kernel only reads where it reads it once altogether: then nothing of it is locked.
static bool touches_locked(const struct holder *w, const struct ir_stmt *s)
{
	memset(w->all, 0, w->l->touches.n * sizeof(*w->all));
	touches_add_one(&w->l->touches, s, w->all);
	sp_vec_each(use, &w->h->uses)
		if (touch_is_any(&w->all[use->global]))
			w->all[use->global] = use->touch;
	return has_locked(w);
}

static bool condition_touches_locked(const struct holder *w, const struct ir_stmt *s)
{
	const struct ir_stmt condition = { .op = IR_S_EVAL, .place = s->place, .a = s->a };

	return touches_locked(w, &condition);
}

// Outside of the kernel: one number that is read is read at once.
static bool condition_takes_time(const struct holder *w, const struct ir_stmt *s)
{
	const struct ir_stmt condition = { .op = IR_S_EVAL, .place = s->place, .a = s->a };
	unsigned reads = 0;

	memset(w->all, 0, w->l->touches.n * sizeof(*w->all));
	touches_add_one(&w->l->touches, &condition, w->all);
	for (uint32_t i = 0; i < w->l->touches.n; i++)
		reads += w->l->globals[i].lock ? w->all[i].reads : 0;
	return reads > 1 || has_locked(w);
}

static bool list_touches_locked(const struct holder *w, const struct ir_stmt *list)
{
	for (const struct ir_stmt *s = list; s; s = s->next)
		if (touches_locked(w, s))
			return true;
	return false;
}

// From the first statement to the last one that does; within a branch when all of them are there.
static void hold_range(const struct holder *w, const struct ir_stmt *list)
{
	const struct ir_stmt *first = NULL, *last = NULL;

	for (const struct ir_stmt *s = list; s; s = s->next) {
		if (!touches_locked(w, s))
			continue;
		first = first ? first : s;
		last = s;
	}
	if (!first)
		return;
	if (first == last && first->op == IR_S_IF && !condition_touches_locked(w, first)) {
		bool then = list_touches_locked(w, first->then), otherwise = list_touches_locked(w, first->otherwise);

		if (then)
			hold_range(w, first->then);
		if (otherwise)
			hold_range(w, first->otherwise);
		return;
	}
	w->l->plan->codes[first->id].locks = true;
	w->l->plan->codes[last->id].unlocks = true;
}

static bool is_long(const struct ir_stmt *s);

static bool has_long(const struct ir_stmt *list)
{
	for (const struct ir_stmt *s = list; s; s = s->next)
		if (is_long(s))
			return true;
	return false;
}

// What goes round or prints may take its time outside of the kernel.
static bool is_long(const struct ir_stmt *s)
{
	return s->op == IR_S_LOOP || s->op == IR_S_FOREACH || s->op == IR_S_EMIT || s->op == IR_S_STAT_PRINT || has_long(s->then) ||
	       has_long(s->otherwise);
}

// What jumps out of a statement, into a loop around it, releases the lock itself.
static void release_at_jumps(const struct holder *w, const struct ir_stmt *list)
{
	for (const struct ir_stmt *s = list; s; s = s->next) {
		if (s->op == IR_S_BREAK || s->op == IR_S_CONTINUE)
			w->l->plan->codes[s->id].unlocks = true;
		release_at_jumps(w, s->then);
		release_at_jumps(w, s->otherwise);
	}
}

// Of a handler outside of the kernel that may take its time: for each statement that does not, for what one prints, and for conditions.
static void hold_each(const struct holder *w, const struct ir_stmt *list)
{
	for (const struct ir_stmt *s = list; s; s = s->next) {
		struct plan_code *code = &w->l->plan->codes[s->id];

		if (is_long(s) && s->op != IR_S_EMIT && s->op != IR_S_STAT_PRINT) {
			code->lets_go = s->op == IR_S_TRY && list_touches_locked(w, s->then);
			code->asks = s->a && condition_takes_time(w, s);
			hold_each(w, s->then);
			hold_each(w, s->otherwise);
			hold_each(w, s->step);
		} else if (touches_locked(w, s)) {
			code->locks = code->unlocks = true;
			release_at_jumps(w, s->then);
			release_at_jumps(w, s->otherwise);
		}
	}
}

static void hold(const struct holder *w)
{
	struct plan_prog *p = &w->l->plan->progs[w->h->prog];
	const struct ir_stmt *body = w->l->plan->unit->progs.v[w->h->prog].body;

	sp_vec_each(use, &w->h->uses)
		if (needs_lock(w->l, w->h, use))
			p->lock = w->l->globals[use->global].lock;
	if (!p->lock)
		return;
	// Statements that become functions of their own cannot take it for those behind them.
	p->locks_all = p->in_kernel && (p->has_outlined || p->recurses);
	if (!p->in_kernel && has_long(body))
		hold_each(w, body);
	else if (!p->locks_all)
		hold_range(w, body);
}

static void note_extreme(void *ctx, const struct ir_stmt *s)
{
	const struct locks *l = ctx;
	const struct global *g;
	struct plan_extreme x;

	if (!plan_extreme(l->plan, s, &x))
		return;
	g = &l->globals[plan_extreme_global(l->plan, &x)];
	if (!g->is_in_kernel || !g->is_changed || g->locked)
		return;
	l->plan->codes[s->id].extreme = sp_arena_memdup(&l->plan->arena, &x, sizeof(x));
	l->plan->features |= 1ull << SP_FEATURE_ATOMICS;
}

// ---- the pass ---------------------------------------------------------------------------------------------------------

static void take_locks(struct locks *l)
{
	const struct ir_visitor extremes = { .ctx = l, .stmt = note_extreme };
	struct holder w = { .l = l };

	sp_vec_each(h, &l->handlers)
		join(l, h);
	number_locks(l);
	ir_walk_unit(l->plan->unit, &extremes);
	w.all = sp_calloc(l->touches.n + 1, sizeof(*w.all));
	sp_vec_each(h, &l->handlers) {
		w.h = h;
		if (l->plan->n_locks)
			hold(&w);
	}
	if (l->plan->n_locks)
		l->plan->features |= 1ull << SP_FEATURE_ATOMICS;
	free(w.all);
}

// A kernel that has no lock for them: one warning for each global, at the first handler that needs it.
static void warn_of_none(const struct plan_env *env, const struct locks *l)
{
	bool *told = sp_calloc(l->touches.n + 1, sizeof(*told));

	sp_vec_each(h, &l->handlers) {
		sp_vec_each(use, &h->uses) {
			const struct global *g = &l->globals[use->global];
			const char *name = plan_global_name(env->unit, use->global);
			struct diag *d;

			if (told[use->global] || !name || !runs_in_kernel(l, h) || !needs_lock(l, h, use))
				continue;
			told[use->global] = true;
			d = diag(env->dc, plan_span(env, env->unit->progs.v[h->prog].place), DIAG_FIT_LOCK,
				 "'%s' has no lock on this kernel, and another handler may change it in the middle of this one", name);
			diag_note(env->dc, d, SPAN_NONE, "it needs one: %s; the target's kernel is %s, and locks need Linux 5.12", g->locked,
				  env->unit->target.release);
		}
	}
	free(told);
}

void plan_lock(const struct plan_env *env, const struct plan_calls *calls, bool warns)
{
	struct locks l = { .plan = env->plan };

	touches_init(&l.touches, l.plan, calls);
	l.globals = sp_calloc(l.touches.n + 1, sizeof(*l.globals));
	describe_globals(&l);
	look_at_handlers(&l);
	lock_single_ones(&l);
	lock_pairs(&l);
	if (target_has(&env->unit->target, SP_FEATURE_ATOMICS))
		take_locks(&l);
	else if (warns && target_has(&env->unit->target, SP_FEATURE_BPF))
		warn_of_none(env, &l);
	sp_vec_each(h, &l.handlers)
		sp_vec_deinit(&h->uses);
	sp_vec_deinit(&l.handlers);
	free(l.globals);
	touches_deinit(&l.touches);
}

void plan_lock_print(struct sp_buf *out, const struct plan *plan, uint32_t lock)
{
	size_t n = plan->unit->globals.n;
	const char *before = "";

	for (size_t i = 0; i < n + plan->unit->maps.n; i++) {
		if ((i < n ? plan->global_locks[i] : plan->maps[i - n].lock) != lock)
			continue;
		sp_buf_printf(out, "%s%s (%s)", before, i < n ? plan->unit->globals.v[i].name : plan->unit->maps.v[i - n].label,
			      plan->lock_causes[i]);
		before = ", ";
	}
}
