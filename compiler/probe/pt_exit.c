// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/pt_exit.h"

#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"

// NULL: they need not be, or the point is only listed, once.
static const char *exits_why(const struct search *s, const struct dbg_func *func)
{
	bool in_kernel = !s->env->user_engine_only;

	if (func->module->is_kernel || s->env->is_listed)
		return NULL;
	switch (dbg_func_stack_use(func)) {
	case DBG_STACK_PLAIN:
	case DBG_STACK_OTHER: return NULL; // search.c forbids it
	case DBG_STACK_MOVES: return "Go moves its stacks";
	case DBG_STACK_LOOKED_UP: return in_kernel ? "OCaml looks return addresses up in tables" : NULL;
	case DBG_STACK_READ: return in_kernel ? "it reads its return address" : NULL;
	case DBG_STACK_SWITCHED: return in_kernel ? "the program switches stacks" : NULL;
	case DBG_STACK_PASSED: return in_kernel ? "an exception may go through it" : NULL;
	case DBG_STACK_UNWOUND: // what has no size is in assembler, and throws nothing
		return in_kernel && func->low_pc < func->high_pc ? "an exception may go through it" : NULL;
	}
	return NULL;
}

// Where it is left, when its return is to be probed there: gives the reason, and sets *unknown_ret when that cannot be told. C goes without when it
// ends with a jump: few exceptions go through C, and what it returns would not be known.
static const char *find_exits(const struct search *s, const struct dbg_func *func, struct dbg_exits *ret, const char **unknown_ret)
{
	const char *why = point_part(s->point, "return") ? exits_why(s, func) : NULL;
	bool has_jump = false;

	*ret = (struct dbg_exits){ .n = 0 };
	*unknown_ret = NULL;
	if (!why)
		return NULL;
	dbg_find_exits(func, ret, unknown_ret);
	for (unsigned i = 0; i < ret->n; i++)
		has_jump |= ret->v[i].is_jump;
	if (dbg_func_stack_use(func) != DBG_STACK_PASSED || (ret->n && !has_jump))
		return why;
	ret->n = 0;
	return NULL;
}

static void add_exit(struct search *s, struct dbg_func *func, const struct dbg_exit *exit, const char *why, const char *text)
{
	struct site *site = func_add_site(s, func, exit->pc);

	if (!site)
		return;
	site->point = text;
	site->kind = SP_SITE_UPROBE;
	site->exit = exit->is_jump ? EXIT_JUMP : EXIT_RETURN;
	site->exit_why = why;
	dbg_call_at(func, exit->pc, DBG_CALL_ENDS, &site->call);
}

void exit_add_sites(struct search *s, struct dbg_func *func, const char *text)
{
	bool is_return = point_part(s->point, "return") != NULL;
	struct dbg_exits exits;
	const char *unknown, *why = find_exits(s, func, &exits, &unknown);
	struct site *site;

	for (unsigned i = 0; i < exits.n; i++)
		add_exit(s, func, &exits.v[i], why, text);
	if (exits.n)
		return;
	site = func_add_site(s, func, func_hook_pc(func, is_return));
	if (site)
		site->point = text;
}

// Are its returns out of reach? It is remembered then.
static bool forbids_return(struct search *s, const struct dbg_func *func)
{
	struct dbg_exits exits;
	const char *why, *needed = find_exits(s, func, &exits, &why);
	bool never_runs = !why; // to its end

	if (!needed || exits.n)
		return false;
	why = why ? sp_arena_printf(s->env->arena, "%s, and where it returns cannot be told: %s", needed, why) :
		    "it has no instruction that returns";
	search_forbid(s, func, why)->never_runs = never_runs;
	return true;
}

bool exit_is_forbidden(struct search *s, const struct dbg_func *func)
{
	return search_forbids(s, func) || forbids_return(s, func);
}
