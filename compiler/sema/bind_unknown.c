// SPDX-License-Identifier: GPL-2.0-or-later
// Names that nothing has: the messages, with what was probably meant.
#include "compiler/front/habit.h"
#include "compiler/front/unported.h"
#include "compiler/model/builtin.h"
#include "compiler/model/similar.h"
#include "compiler/sema/bind.h"

#include "runtime/base/cleanup.h"

static void try_similar(void *ctx, const char *name)
{
	similar_try(ctx, name);
}

void bind_hint_similar(struct bind *b, struct diag *d, const struct similar *similar)
{
	const char *text = similar_text(similar, b->arena);

	if (text)
		diag_hint(b->opts->dc, d, "did you mean %s?", text);
}

// ---- functions ------------------------------------------------------------------------------------------------------

void bind_report_function(struct bind *b, struct ast_expr *e, bool is_variable)
{
	struct similar similar;
	const char *why = unported_function(e->call.name);
	struct diag *d = diag(b->opts->dc, e->op_span, DIAG_FUNCTION_UNKNOWN,
			      "there is no function '%s'", e->call.name);

	if (why)
		diag_note(b->opts->dc, d, SPAN_NONE, "%s", why);
	if (is_variable) {
		diag_hint(b->opts->dc, d, "a variable is written without parentheses: %s", e->call.name);
		return;
	}
	similar_init(&similar, e->call.name);
	for (size_t i = 0; i < b->units.n; i++)
		for (unsigned j = 0; j < b->units.v[i]->n_functions; j++)
			similar_try(&similar, b->units.v[i]->functions[j]->name);
	for (int i = 0; i < BUILTIN_COUNT; i++)
		similar_try(&similar, builtin_info((enum builtin_id)i)->name);
	for (int i = 0; i < 2 * AST_PRINT_KINDS; i++)
		similar_try(&similar, ast_print_name((enum ast_print_kind)(i / 2), i % 2));
	if (b->opts->tapset)
		tapset_each_function(b->opts->tapset, try_similar, &similar);
	if (habit_function(e->call.name))
		diag_hint(b->opts->dc, d, "here that is %s", habit_function(e->call.name));
	else if (habit_word(e->call.name))
		diag_hint(b->opts->dc, d, "%s", habit_word(e->call.name));
	else
		bind_hint_similar(b, d, &similar);
}

// ---- variables ------------------------------------------------------------------------------------------------------

// Is it a variable at the first of the probed places?
static bool is_probed(struct bind *b, const struct handler *handler, const char *name)
{
	struct site *site = handler && handler->sites.n ? handler->sites.v[0] : NULL;
	sp_cleanup(sp_buf_deinit) struct sp_buf vars = { 0 }, wanted = { 0 };

	if (site && site->family->list_vars)
		site->family->list_vars(b->opts->env, site, &vars);
	sp_buf_printf(&wanted, " $%s:", name);
	return strstr(sp_buf_str(&vars), sp_buf_str(&wanted));
}

static bool is_function(struct bind *b, const char *name)
{
	struct unit **found;

	return builtin_find(name) >= 0 || (b->opts->tapset && tapset_find_function(b->opts->tapset, name, &found));
}

// Is that a variable of another handler of the script?
static bool is_assigned_elsewhere(struct bind *b, const struct handler *handler, const struct local *local)
{
	for (size_t i = 0; i < b->program->handlers.n; i++) {
		const struct handler *other = b->program->handlers.v[i];

		for (size_t j = 0; other != handler && j < other->locals.n; j++)
			if (other->locals.v[j]->is_written && other->locals.v[j]->span.file == local->span.file &&
			    sp_streq(other->locals.v[j]->name, local->name))
				return true;
	}
	return false;
}

// It is always 0 or "": most often a misspelled name, or a variable of the program's.
void bind_warn_unassigned(struct bind *b, const struct handler *handler, const struct function *function, const struct local *local)
{
	struct local *const *v = function ? function->locals.v : handler->locals.v;
	size_t n = function ? function->locals.n : handler->locals.n;
	struct similar similar;
	const struct source_file *file = source_file(b->opts->sources, local->span.file);
	const char *instead;
	struct diag *d;

	if (b->opts->suppress_unassigned_warnings || !file || file->kind != SOURCE_USER)
		return;
	d = diag(b->opts->dc, local->span, DIAG_LOCAL_UNASSIGNED,
		 "local variable '%s' is never assigned", local->name);
	if (is_probed(b, handler, local->name)) {
		diag_hint(b->opts->dc, d, "the variable of the probed place is $%s", local->name);
		return;
	}
	if (is_assigned_elsewhere(b, handler, local)) {
		diag_hint(b->opts->dc, d, "each handler has its own; all have one with `global %s` at the top of the script", local->name);
		return;
	}
	similar_init(&similar, local->name);
	for (size_t i = 0; i < n; i++)
		if (v[i]->is_written)
			similar_try(&similar, v[i]->name);
	for (size_t i = 0; i < b->units.n; i++)
		for (unsigned j = 0; j < b->units.v[i]->n_globals; j++)
			similar_try(&similar, b->units.v[i]->globals[j]->name);
	bind_hint_similar(b, d, &similar);
	if (!similar.n && is_function(b, local->name))
		diag_hint(b->opts->dc, d, "a function is called with parentheses: %s()", local->name);
	else if (!similar.n && (instead = habit_name(local->name)))
		diag_hint(b->opts->dc, d, "here that is %s", instead);
	else if (!similar.n && (instead = habit_word(local->name)))
		diag_hint(b->opts->dc, d, "%s", instead);
}

// ---- probe points ---------------------------------------------------------------------------------------------------

// Adds the library's aliases of two components of which the second is `name`, as syscall.openat of openat.
static void add_members(struct bind *b, const char *name, struct sp_buf *ret)
{
	struct unit **units = NULL;
	unsigned n = b->opts->tapset ? tapset_all(b->opts->tapset, &units) : 0;

	for (unsigned u = 0; u < n; u++) {
		for (unsigned i = 0; i < units[u]->n_aliases; i++) {
			const struct ast_point *alias = units[u]->aliases[i]->names.v[0];

			if (alias->n_parts == 2 && !units[u]->aliases[i]->is_private && sp_streq(alias->parts[1].name, name) &&
			    !strchr(alias->parts[0].name, '_')) { // nd_syscall.openat is the same place
				ast_print_point(ret, alias);
				sp_buf_putc(ret, '\n');
			}
		}
	}
	free(units);
}

// "a", "a or b", "a, b or c" of lines, three at most. Empties them.
static const char *choice(struct bind *b, struct sp_buf *lines)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	char *next = lines->len ? lines->data : NULL, *line;

	for (int i = 0; i < 3 && next && (line = strsep(&next, "\n")) && *line; i++)
		sp_buf_printf(&text, "%s%s", !i ? "" : i == 2 || !*next ? " or " : ", ", line);
	sp_buf_deinit(lines);
	return text.len ? sp_arena_strdup(b->arena, sp_buf_str(&text)) : NULL;
}

// What there is of that name among the kernel's functions, tracepoints and the library's aliases.
static const char *elsewhere(struct bind *b, const struct ast_point *point)
{
	struct sp_buf lines = { 0 };

	if (point->parts[0].arg || sp_has_glob(point->parts[0].name))
		return NULL;
	add_members(b, point->parts[0].name, &lines);
	point_elsewhere(b->opts->env, point, &lines);
	return choice(b, &lines);
}

void bind_report_point(struct bind *b, const struct ast_point *point)
{
	const struct ast_point_part *first = &point->parts[0];
	const char *text = elsewhere(b, point);
	struct diag *d = diag(b->opts->dc, first->span, DIAG_POINT_UNKNOWN,
			      "there is no probe point '%s'", first->name);
	struct similar similar;

	if (habit_head(first->name)) {
		diag_hint(b->opts->dc, d, "here that is %s", habit_head(first->name));
		return;
	}
	if (text) {
		diag_hint(b->opts->dc, d, "did you mean %s?", text);
		return;
	}

	similar_init(&similar, first->name);
	point_try_names(b->arena, &similar);
	for (unsigned i = 0; i < b->n_user_units; i++)
		for (unsigned j = 0; j < b->units.v[i]->n_aliases; j++)
			similar_try(&similar, b->units.v[i]->aliases[j]->names.v[0]->parts[0].name);
	if (b->opts->tapset)
		tapset_each_alias(b->opts->tapset, try_similar, &similar);
	text = similar_text(&similar, b->arena);
	if (text)
		diag_hint(b->opts->dc, d, "did you mean %s?", text);
	else if (!sp_has_glob(first->name) && (text = point_similar_function(b->opts->env, first->name)))
		diag_hint(b->opts->dc, d, "of the kernel's functions, %s", text);
}
