// SPDX-License-Identifier: GPL-2.0-or-later
// One function is named: a pattern may find many.
#include "compiler/probe/func_warn.h"

#include "compiler/probe/point_util.h"

// Are there calls among the events that are of other functions?
static void warn_if_folded(struct search *s, const struct dbg_funcs *found)
{
	const char *other = NULL;
	struct diag *d;
	unsigned i = 0;

	while (i < found->n && !(other = dbg_folded_with(found->v[i])))
		i++;
	if (!other)
		return;
	d = diag(s->env->dc, s->point->span, DIAG_FOLDED, "%s and %s are one function: their code is the same, and calls of both are seen",
		 dbg_func_name(found->v[i]), other);
	if (point_is_pattern(s->point))
		diag_note(s->env->dc, d, SPAN_NONE, "there may be more such functions");
}

// Are there calls that are not among the events?
static void warn_if_copied(struct search *s, const struct dbg_funcs *found)
{
	const char *thunk = NULL;
	struct diag *d;
	unsigned i = 0;

	while (i < found->n && !(thunk = dbg_copied_by_thunk(found->v[i])))
		i++;
	if (!thunk)
		return;
	d = diag(s->env->dc, s->point->span, DIAG_THUNK_COPY, "calls of %s by way of a base class are not seen: they run a copy of it",
		 dbg_func_name(found->v[i]));
	diag_hint(s->env->dc, d, "function(\"%s\") is that copy", thunk);
	if (point_is_pattern(s->point))
		diag_note(s->env->dc, d, SPAN_NONE, "there may be more such functions");
}

void func_warn_of_calls(struct search *s, const struct dbg_funcs *found)
{
	warn_if_folded(s, found);
	warn_if_copied(s, found);
}
