// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/pt_callee.h"

#include "compiler/probe/pattern.h"
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_exit.h"
#include "compiler/probe/pt_func.h"

#include "runtime/base/cleanup.h"

#include <stdlib.h>

#define MAX_DEPTH 16
#define MAX_SITES 4096 // with .callees(N): the calls of calls of calls are soon everything
#define MAX_PROBED 100000 // else, when they are probed: all of a kernel's are 440,000, with more handlers than an object has room for
#define MAX_LISTED 12 // callees that a diagnostic names

// The calls that are asked for.
struct asking {
	struct search *s;
	struct dbg_func_query query; // for the callees
	unsigned depth;
	size_t n_before; // sites that there were
};

// The calls that lead from the function that the point names to a callee of callees, the innermost first. An inlined instance
// is no call: nothing returns from it.
struct level {
	const struct dbg_callee *callee;
	const struct level *outer; // NULL: called by the function that the point names
};

bool callee_matches(const struct ast_point *point)
{
	return point_part(point, "callee") || point_part(point, "callees");
}

// ---- where it must have been called from -----------------------------------------------------------------------------

static bool same_test(const struct loc *a, const struct loc *b)
{
	return a == b || (a && b && loc_equal(a, b));
}

// Makes the tests that the function was called as `level` and its outer levels say. frames[0] to frames[n_frames - 1] are the
// return addresses of the calls further in. A function may be called in several places, and the location of the next frame out
// can depend on which of them it was: places for which that location is the same share one test, the others are its `other`.
static const struct site_caller *make_tests(struct asking *a, struct site *site, const struct level *level, uint64_t *frames,
					    unsigned n_frames, const char **why)
{
	uint64_t pc = func_hook_pc(site->func, false);
	const struct dbg_callee *callee = level->callee;
	sp_cleanup_free uint64_t *group = sp_calloc(callee->n_returns, sizeof(*group));
	sp_cleanup_free bool *done = sp_calloc(callee->n_returns, sizeof(*done));
	const struct site_caller *first = NULL;

	for (unsigned i = 0; i < callee->n_returns; i++) {
		const struct loc *outer = NULL;
		struct site_caller *test;
		unsigned n = 0;

		if (done[i])
			continue;
		for (unsigned k = i; k < callee->n_returns; k++) {
			const struct loc *other = NULL;
			frames[n_frames] = callee->returns[k];
			if (level->outer)
				other = dbg_called_from(site->func, pc, frames, n_frames + 1, level->outer->callee->returns,
							level->outer->callee->n_returns, why);
			if (level->outer && !other)
				return NULL;
			if (k == i)
				outer = other;
			if (!same_test(outer, other))
				continue;
			done[k] = true;
			group[n++] = callee->returns[k];
		}
		test = sp_arena_new(a->s->env->arena, struct site_caller);
		test->func = callee->func;
		test->test = dbg_called_from(site->func, pc, frames, n_frames, group, n, why);
		frames[n_frames] = group[0];
		if (level->outer)
			test->outer = make_tests(a, site, level->outer, frames, n_frames + 1, why);
		if (!test->test || (level->outer && !test->outer))
			return NULL;
		test->other = first;
		first = test;
	}
	return first;
}

// ---- sites ----------------------------------------------------------------------------------------------------------

static const char *text_of(struct search *s, const struct dbg_func *func, const struct dbg_func *caller)
{
	struct sp_buf text = { 0 };

	sp_buf_printf(&text, "%s.function(\"", s->prefix);
	func_print_name(&text, caller);
	sp_buf_puts(&text, "\").callee(\"");
	func_print_name(&text, func);
	sp_buf_puts(&text, "\")");
	point_print_rest(&text, s->point, 3);
	return point_take(s->env, &text);
}

static bool set_callers(struct asking *a, struct site *site, const struct dbg_func *caller, const struct level *level)
{
	uint64_t frames[MAX_DEPTH];
	const char *why = NULL;

	site->callers = make_tests(a, site, level, frames, 0, &why);
	if (!site->callers)
		diag(a->s->env->dc, a->s->point->span, DIAG_POINT_FORBIDDEN, "which calls of %s come from %s cannot be told: %s",
		     site->func->name, caller->name, why ? why : "the chain is too long");
	return site->callers;
}

// False, after a diagnostic: there are so many calls that one more cannot be added.
static bool has_room(struct asking *a)
{
	size_t n = a->s->sites->list.n - a->n_before;

	if (a->depth > 1 && n >= MAX_SITES)
		diag(a->s->env->dc, a->s->point->span, DIAG_POINT_VALUE,
		     "more than %u functions are called there; a smaller depth has fewer", MAX_SITES);
	else if (a->s->env->is_probed && n >= MAX_PROBED)
		diag(a->s->env->dc, a->s->point->span, DIAG_POINT_VALUE,
		     "more than %u calls are named; probe fewer functions, such as those of a folder (\"*@fs/*.c\")", MAX_PROBED);
	else
		return true;
	return false;
}

static bool add_sites(struct asking *a, const struct dbg_func *caller, const struct dbg_callee *callee,
		      const struct level *level)
{
	bool is_return = point_part(a->s->point, "return") != NULL;
	struct dbg_func *func = callee->func;
	size_t n_before = a->s->sites->list.n;

	if ((func->is_inline && (is_return || point_part(a->s->point, "call"))) || exit_is_forbidden(a->s, func))
		return true;
	if (!has_room(a))
		return false;
	exit_add_sites(a->s, func, text_of(a->s, func, caller));
	for (size_t i = n_before; level && i < a->s->sites->list.n; i++)
		if (!set_callers(a, a->s->sites->list.v[i], caller, level))
			return false;
	return true;
}

static bool add_callees(struct asking *a, struct dbg_func *caller, const struct level *outer, unsigned depth,
			struct dbg_callees *callees_ret)
{
	struct dbg_callees callees = { 0 };
	struct sp_err *err = dbg_find_callees(caller, &a->query, &callees);

	if (err) {
		point_report(a->s->env, a->s->point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	for (unsigned i = 0; i < callees.n; i++) {
		struct level own = { &callees.v[i], outer };
		const struct level *level = callees.v[i].n_returns ? &own : outer;

		if (!add_sites(a, caller, &callees.v[i], level))
			return false;
		if (depth > 1 && !add_callees(a, callees.v[i].func, level, depth - 1, NULL))
			return false;
	}
	if (callees_ret)
		*callees_ret = callees;
	return true;
}

// ---- the point ------------------------------------------------------------------------------------------------------

static const char *explain_no_callee(struct asking *a, struct dbg_func *caller, const struct dbg_callees *found)
{
	struct dbg_func_query any = { .name = "*" };
	struct dbg_callees all = { 0 };
	struct sp_buf text = { 0 };

	sp_err_free(dbg_find_callees(caller, &any, &all));
	if (!all.n_calls && !all.n)
		return sp_arena_printf(a->s->env->arena, "debug information has no calls of %s\ncompilers describe calls from -O1 on", caller->name);
	if (found->n_tail)
		return sp_arena_printf(a->s->env->arena, "%s ends with a jump to it, which cannot be told from a call by the caller of %s",
				       caller->name, caller->name);
	sp_buf_printf(&text, "%s %s", caller->name, all.n ? "calls" : "calls no function of this file");
	for (unsigned i = 0; i < all.n && i < MAX_LISTED; i++)
		sp_buf_printf(&text, "%s %s", i ? "," : "", all.v[i].func->name);
	if (all.n > MAX_LISTED)
		sp_buf_printf(&text, " and %u more", all.n - MAX_LISTED);
	if (all.n_indirect)
		sp_buf_printf(&text, "; %u call%s through pointers", all.n_indirect, all.n_indirect == 1 ? " goes" : "s go");
	return point_take(a->s->env, &text);
}

// How deep; 0 after a diagnostic.
static unsigned parse_depth(struct asking *a)
{
	const struct ast_point_part *part = point_part(a->s->point, "callees");

	if (!part || !part->arg)
		return 1;
	if (part->arg->number >= 1 && part->arg->number <= MAX_DEPTH)
		return (unsigned)part->arg->number;
	diag(a->s->env->dc, part->arg->span, DIAG_POINT_VALUE, "calls can be followed to a depth of 1 to %u", MAX_DEPTH);
	return 0;
}

static bool parse_callee(struct asking *a)
{
	const struct ast_point_part *part = point_part(a->s->point, "callee");
	struct pattern pattern;

	a->query.name = "*";
	if (!part)
		return true;
	if (!pattern_parse(a->s->env, part, &pattern))
		return false;
	a->query.name = pattern.name;
	a->query.file = pattern.file;
	a->query.is_probed = a->s->env->is_probed;
	return true;
}

bool callee_resolve(struct search *s)
{
	struct asking a = { .s = s, .n_before = s->sites->list.n };
	size_t n_before = s->sites->list.n + s->forbidden.n;
	struct dbg_callees callees = { 0 };
	struct dbg_funcs found = { 0 };
	struct dbg_func_query query;
	struct sp_err *err;

	a.depth = parse_depth(&a);
	if (!a.depth || !func_parse_query(s->env, point_part(s->point, "function"), &query) || !parse_callee(&a))
		return false;
	query.calls = query.inlines = true;
	err = dbg_find_funcs(s->module, &query, &found);
	if (err) {
		point_report(s->env, s->point->span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	for (unsigned i = 0; i < found.n; i++)
		if (!add_callees(&a, found.v[i], NULL, a.depth, &callees))
			return false;
	if (s->sites->list.n + s->forbidden.n == n_before)
		*s->why_ret = found.n ? explain_no_callee(&a, found.v[0], &callees) : func_explain_no_match(s->env, s->module, &query);
	return true;
}
