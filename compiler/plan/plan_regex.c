// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_regex.h"

static uint32_t power_above(uint32_t n)
{
	uint32_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

struct needs {
	unsigned n_groups; // that matched() may ask for
	bool asks;
	uint32_t longest; // text that is searched, with NUL
};

static void note(void *ctx, const struct ir_expr *e)
{
	struct needs *needs = ctx;
	const struct ir_expr *group;

	if (e->op == IR_MATCH)
		needs->longest = SP_MAX(needs->longest, e->a->cap);
	if (e->op != IR_BUILTIN || (e->builtin != BUILTIN_MATCHED && e->builtin != BUILTIN_NGROUPS))
		return;
	needs->asks = true;
	needs->n_groups = SP_MAX(needs->n_groups, 1u);
	if (e->builtin != BUILTIN_MATCHED)
		return;
	group = e->args[0];
	if (group->op != IR_CONST)
		needs->n_groups = UINT32_MAX;
	else if (group->value >= 0 && group->value < UINT32_MAX)
		needs->n_groups = SP_MAX(needs->n_groups, (unsigned)group->value + 1);
}

static struct needs find_needs(const struct ir_unit *unit)
{
	struct needs needs = { 0 };
	struct ir_visitor visitor = { .ctx = &needs, .expr = note };

	ir_walk_unit(unit, &visitor);
	return needs;
}

static void compile(const struct plan_env *env, uint32_t index, unsigned n_captures)
{
	const struct ir_regex *r = &env->unit->regexes.v[index];
	struct plan_regex *p = &env->plan->regexes[index];
	struct sp_arena *arena = &env->plan->arena;
	struct regex_error err = { 0 };
	const struct regex *regex = regex_parse(arena, r->pattern, (uint32_t)strlen(r->pattern), &err);
	const char *why = regex ? NULL : err.text; // sema has parsed the same pattern, so this never fails
	struct diag *d;

	if (regex && SP_MIN(n_captures, regex->n_groups) > REGEX_MAX_CAPTURES)
		why = "matched() gives at most 31 groups";
	else if (regex)
		why = regex_dfa_make(arena, regex, SP_MIN(n_captures, regex->n_groups), &p->dfa);
	p->n_groups = regex ? regex->n_groups : 1;
	if (!why)
		return;
	d = diag(env->dc, plan_span(env, r->place), DIAG_FIT_REGEX, "the pattern is too large for an automaton: %s", why);
	if (regex && n_captures && !regex_dfa_make(arena, regex, 0, &p->dfa))
		diag_hint(env->dc, d, "without matched() and ngroups() in the script it would need %u states", p->dfa.n_states);
	p->dfa = (struct regex_dfa){ 0 };
}

void plan_regex(const struct plan_env *env)
{
	struct needs needs = find_needs(env->unit);

	for (uint32_t i = 0; i < env->unit->regexes.n; i++)
		compile(env, i, needs.n_groups);
	// In a script without any =~, matched() always fails; the place is there all the same, as its code reads it.
	env->plan->match_size = needs.asks ? PLAN_MATCH_TEXT + power_above(SP_MAX(needs.longest, env->unit->max_string)) : 0;
}
