// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/search.h"

#include "compiler/probe/point_util.h"

#define MAX_NAMED 4 // functions that are named for each reason

void search_init(struct search *search, struct point_env *env, const struct point_family *family,
		 const struct ast_point *point, struct sites *sites_ret, const char **why_ret)
{
	*search = (struct search){ .env = env, .family = family, .point = point, .sites = sites_ret, .why_ret = why_ret,
				   .n_before = sites_ret->list.n };
}

bool search_is_empty(const struct search *search)
{
	return search->sites->list.n == search->n_before;
}

// Is it what gcc has put elsewhere of a function, as "f.cold" or "f.cold.7"? In Go "main.cold" is a function of its own.
static bool is_cold_part(const struct dbg_func *func)
{
	const char *at = strstr(func->linkage_name ? func->linkage_name : func->name, ".cold");

	return at && (!at[5] || at[5] == '.') && (func->module->is_kernel || dbg_func_stack_use(func) != DBG_STACK_MOVES);
}

// Where the function begins, what is on the stack is no address to return to. Another one in its place, or a breakpoint there, would harm
// the program, or the kernel. NULL: it is.
static const char *why_never_returns(const struct search *search, const struct dbg_func *func)
{
	// A symbol's address for the linker, what signals' handlers return to, and what contexts' functions do.
	static const char *const names[] = { "_dl_runtime_resolve", "_dl_runtime_profile", "__restore_rt", "__start_context" };

	if (!point_part(search->point, "return"))
		return NULL;
	if (is_cold_part(func))
		return "it is a part of a function, which jumps there, so that it does not return";
	if (func->module->is_kernel)
		return NULL;
	if (func->entry_pc == func->module->entry)
		return "the program begins with it, so that it does not return";
	for (unsigned i = 0; i < SP_ARRAY_SIZE(names); i++)
		if (sp_starts_with(func->name, names[i]))
			return "nobody calls it, so that it does not return";
	return dbg_func_stack_use(func) == DBG_STACK_OTHER ? "Haskell's code is not called, so that it does not return" : NULL;
}

struct dbg_func *search_forbid(struct search *search, const struct dbg_func *func, const char *why)
{
	struct dbg_func *copy = sp_arena_memdup(search->env->arena, func, sizeof(*func));

	copy->no_probe = why;
	sp_vec_push(&search->forbidden, copy);
	return copy;
}

bool search_forbids(struct search *search, const struct dbg_func *func)
{
	const char *why = func->no_probe ? NULL : why_never_returns(search, func);

	if (why) {
		if (!point_is_pattern(search->point))
			search_forbid(search, func, why);
		return true;
	}
	if (func->no_probe)
		sp_vec_push(&search->forbidden, func);
	return func->no_probe;
}

static void print_func(struct sp_buf *out, const struct dbg_func *func)
{
	sp_buf_puts(out, func->name);
	if (func->is_inline)
		sp_buf_printf(out, " in %s", func->caller);
	sp_buf_printf(out, " (%#llx-%#llx)", (unsigned long long)func->low_pc, (unsigned long long)func->high_pc);
}

// One note for each reason, of the functions from the first one that has it on.
static void note_reason(struct search *s, struct diag *d, size_t first)
{
	const char *why = s->forbidden.v[first]->no_probe;
	struct sp_buf text = { 0 };
	unsigned n = 0;

	for (size_t i = 0; i < first; i++)
		if (sp_streq(s->forbidden.v[i]->no_probe, why))
			return;
	for (size_t i = first; i < s->forbidden.n; i++) {
		if (!sp_streq(s->forbidden.v[i]->no_probe, why) || n++ >= MAX_NAMED)
			continue;
		sp_buf_puts(&text, n == 1 ? "" : ", ");
		print_func(&text, s->forbidden.v[i]);
	}
	if (n > MAX_NAMED)
		sp_buf_printf(&text, " and %u more", n - MAX_NAMED);
	diag_note(s->env->dc, d, SPAN_NONE, "%s: %s", why, sp_buf_str(&text));
	sp_buf_deinit(&text);
}

static void report(struct search *s)
{
	const struct ast_point_part *part = point_part(s->point, "function");
	enum diag_id id = search_is_empty(s) ? DIAG_POINT_FORBIDDEN : DIAG_POINT_PARTLY;
	const struct dbg_func *func = s->forbidden.v[0];
	struct span span;
	struct diag *d;

	if (!part)
		part = point_part(s->point, "statement");
	span = part ? part->arg->span : s->point->span;
	if (s->forbidden.n > 1) {
		d = diag(s->env->dc, span, id, "%zu functions that match cannot be probed", s->forbidden.n);
		for (size_t i = 0; i < s->forbidden.n; i++)
			note_reason(s, d, i);
		return;
	}
	d = diag(s->env->dc, span, id, "%s cannot be probed: %s", func->name, func->no_probe);
	diag_note(s->env->dc, d, SPAN_NONE, "%s%s%sits code is at %#llx-%#llx", func->is_inline ? "it is inlined into " : "",
		  func->is_inline ? func->caller : "", func->is_inline ? "; " : "", (unsigned long long)func->low_pc,
		  (unsigned long long)func->high_pc);
}

// Beside functions that are probed, those that never run are not missed: they are told with -v alone.
static void leave_out(struct search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->forbidden.n; i++) {
		const struct dbg_func *func = s->forbidden.v[i];

		if (func->never_runs)
			sp_log(dbg_log(s->env->dbg), SP_LOG_INFO, "  %s is left out: %s", func->name, func->no_probe);
		else
			s->forbidden.v[n++] = func;
	}
	s->forbidden.n = n;
}

bool search_end(struct search *search, bool ok)
{
	bool forbidden = search->forbidden.n;

	if (ok && !search_is_empty(search))
		leave_out(search);
	if (ok && search->forbidden.n)
		report(search);
	sp_vec_deinit(&search->forbidden);
	return ok && !(forbidden && search_is_empty(search));
}
