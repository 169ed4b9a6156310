// SPDX-License-Identifier: GPL-2.0-or-later
// From the probe points of a script to handlers. Aliases are expanded, and the alias's body goes before (or behind) the
// handler's, until each point belongs to a probe family, which resolves it to sites.
#include "compiler/sema/bind.h"
#include "compiler/sema/tree.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <stdlib.h>

#define MAX_POINTS 10000 // of one probe
#define NO_POINT_IS_THERE "none of the points that this alias stands for is there"

// The aliases that led to a point, innermost first.
struct chain {
	const struct chain *outer;
	struct ast_alias *alias;
	const struct ast_point *use; // the point that names the alias
	const struct ast_point *name; // the use, wildcards expanded
};

// The key of a handler: points that come through the same aliases with the same condition have the same body.
struct made {
	struct ast_alias **aliases; // innermost first
	unsigned n_aliases;
	const struct ast_expr *condition;
	const struct ast_expr *written; // the same as the script has it, without what a process's number adds; NULL
	bool is_never;
	struct handler *handler;
};

// One probe and its handlers so far: one for each chain of aliases and condition.
struct expansion {
	struct bind *b;
	struct ast_probe *probe;
	unsigned n_points; // points seen so far, with the points of aliases
	SP_VEC(struct made) made;
};

// ---- aliases ---------------------------------------------------------------------------------------------------------

// Keeps the longest matches: for `a.b`, alias `a.b` wins over alias `a` with the suffix `.b`.
static void keep_longest(struct alias_uses *uses)
{
	unsigned longest = 0;
	size_t n = 0;

	for (size_t i = 0; i < uses->v.n; i++)
		longest = SP_MAX(longest, uses->v.v[i].n_parts);
	for (size_t i = 0; i < uses->v.n; i++)
		if (uses->v.v[i].n_parts == longest)
			uses->v.v[n++] = uses->v.v[i];
	uses->v.n = n;
}

static const char *second_of(const struct ast_point *point)
{
	return point->n_parts > 1 ? point->parts[1].name : NULL;
}

// The files of the library that may have such an alias; the caller frees *owned_ret.
static unsigned find_units(struct bind *b, const struct ast_point *point, struct unit ***ret, struct unit ***owned_ret)
{
	*owned_ret = NULL;
	if (!b->opts->tapset)
		return 0;
	if (!sp_has_glob(point->parts[0].name))
		return tapset_find_alias(b->opts->tapset, point->parts[0].name, second_of(point), ret);
	unsigned n = tapset_all(b->opts->tapset, owned_ret);
	*ret = *owned_ret;
	return n;
}

static void find_aliases(struct bind *b, const struct ast_point *point, struct alias_uses *uses)
{
	struct unit **found, **owned = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < b->n_user_units; i++)
		bind_add_aliases(b->units.v[i], point, uses);
	if (!uses->v.n)
		n = find_units(b, point, &found, &owned);
	for (unsigned i = 0; i < n; i++)
		bind_add_aliases(found[i], point, uses);
	free(owned);
	keep_longest(uses);
}

// Adds an alias's library file to the program: the alias's body sees the private functions and globals of that file.
static void use_alias_unit(struct bind *b, const struct ast_alias *alias, const struct ast_point *point)
{
	struct unit **found, **owned;
	unsigned n = find_units(b, point, &found, &owned);

	for (unsigned i = 0; i < n; i++)
		if (found[i]->file == alias->span.file)
			bind_use_unit(b, found[i]);
	free(owned);
}

// ---- handlers -------------------------------------------------------------------------------------------------------

static struct ast_stmt *join(struct sp_arena *arena, struct ast_stmt *first, struct ast_stmt *second)
{
	return tree_block(arena, first->span, (struct ast_stmt *[]){ first, second }, 2);
}

// Does a body assign a variable? @probewrite(x) in an alias asks this of the handler's body that the alias is put around.
struct writes {
	struct sp_arena *arena;
	struct ast_stmt *body; // @probewrite asks about this body
	const char *name;
	bool found;
};

static void is_written(struct writes *w, const struct ast_expr *target)
{
	const char *name = target->kind == AST_NAME	? target->name.name
			   : target->kind == AST_INDEX	? target->index.name
			   : target->kind == AST_TARGET ? target->target.name
							: NULL;

	w->found |= name && sp_streq(name, w->name);
}

static void find_write(void *ctx, struct ast_expr **place)
{
	if ((*place)->kind == AST_ASSIGN)
		is_written(ctx, (*place)->assign.target);
	else if ((*place)->kind == AST_INCDEC)
		is_written(ctx, (*place)->incdec.target);
	ast_expr_children(*place, find_write, ctx);
}

static void find_stmt_write(void *ctx, struct ast_stmt **place)
{
	struct ast_stmt *s = *place;
	struct writes *w = ctx;

	if (s->kind == AST_S_DELETE)
		is_written(w, s->expr);
	else if (s->kind == AST_S_TRY && s->try_.message)
		w->found |= sp_streq(s->try_.message, w->name);
	for (unsigned i = 0; s->kind == AST_S_FOREACH && i < s->foreach.keys.n; i++)
		is_written(w, s->foreach.keys.v[i]);
	if (s->kind == AST_S_FOREACH && s->foreach.value)
		is_written(w, s->foreach.value);
	ast_stmt_children(s, find_write, find_stmt_write, w);
}

static void answer_probewrite(void *ctx, struct ast_expr **place)
{
	const struct writes *alias = ctx;
	struct writes w = { 0 };

	if ((*place)->kind != AST_PROBEWRITE)
		return;
	w.name = (*place)->probewrite.name;
	find_stmt_write(&w, (struct ast_stmt *[]){ alias->body });
	*place = tree_number(alias->arena, *place, w.found);
}

// A copy of an alias's body, to go before or behind `body`.
static struct ast_stmt *alias_part(struct bind *b, const struct ast_stmt *part, struct ast_stmt *body)
{
	struct writes alias = { .arena = b->arena, .body = body };
	struct ast_stmt *copy = ast_clone_stmt(b->arena, part);

	tree_walk_stmt(copy, answer_probewrite, &alias);
	return copy;
}

static struct ast_stmt *compose(struct bind *b, const struct ast_probe *probe, const struct made *made)
{
	struct ast_stmt *body = ast_clone_stmt(b->arena, probe->body);

	for (unsigned i = made->n_aliases; i-- > 0;) {
		const struct ast_alias *alias = made->aliases[i];
		struct ast_stmt *inner = body, *part;

		if (alias->body) {
			part = alias_part(b, alias->body, inner);
			body = alias->is_epilogue ? join(b->arena, body, part)
						  : join(b->arena, part, body);
		}
		if (alias->epilogue)
			body = join(b->arena, body, alias_part(b, alias->epilogue, inner));
	}
	if (made->condition) {
		struct ast_expr *condition = ast_clone_expr(b->arena, made->condition);
		struct ast_stmt *leave = tree_stmt(b->arena, AST_S_NEXT, condition->span);

		body = join(b->arena, tree_if(b->arena, tree_not(b->arena, condition), leave, NULL),
			    body);
	}
	return body;
}

static void check_condition(void *ctx, struct ast_expr **place)
{
	struct bind *b = ctx;
	struct diag *d;

	if ((*place)->kind != AST_NAME || !(*place)->name.local)
		return;
	d = diag(b->opts->dc, (*place)->span, DIAG_CONDITION, "'%s' is not a global variable",
		 (*place)->name.name);
	diag_hint(b->opts->dc, d,
		  "a probe point's condition can only read globals; test '%s' in the handler",
		  (*place)->name.name);
	(*place)->kind = AST_ERROR;
}

static struct made *make_handler(struct expansion *x, const struct chain *chain,
				 const struct ast_expr *condition, bool is_never)
{
	struct sp_arena *arena = x->b->arena;
	struct made made = { .condition = condition, .is_never = is_never };
	const struct chain *c;

	for (c = chain; c; c = c->outer)
		made.n_aliases++;
	made.aliases = sp_arena_array(arena, struct ast_alias *, made.n_aliases + 1);
	made.n_aliases = 0;
	for (c = chain; c; c = c->outer)
		made.aliases[made.n_aliases++] = c->alias;
	sp_vec_each(m, &x->made)
		if (m->n_aliases == made.n_aliases && m->condition == condition &&
		    m->is_never == is_never &&
		    memcmp(m->aliases, made.aliases, made.n_aliases * sizeof(*made.aliases)) == 0)
			return m;
	made.handler = sp_arena_new(arena, struct handler);
	made.handler->probe = x->probe;
	made.handler->body = compose(x->b, x->probe, &made);
	sp_vec_push(&x->b->program->handlers, made.handler);
	sp_vec_push(&x->made, made);
	return &sp_vec_last(&x->made);
}

static void bind_made(struct expansion *x)
{
	sp_vec_each(m, &x->made) {
		bind_handler(x->b, m->handler);
		bind_value(x->b, m->handler);
		bind_sample(x->b, m->handler);
		bind_netfilter(x->b, m->handler);
		if (m->condition)
			tree_walk_expr(&m->handler->body->block.v[0]->cond.cond, check_condition,
				       x->b);
		if (m->written)
			bind_condition(x->b, m->handler, m->written);
	}
}

// ---- expansion ------------------------------------------------------------------------------------------------------

static bool expand_points(struct expansion *x, const struct ast_points *points,
			  const struct chain *chain, const struct ast_point *outer, unsigned n_taken, bool all_optional);

static bool in_chain(const struct chain *chain, const struct ast_alias *alias)
{
	for (; chain; chain = chain->outer)
		if (chain->alias == alias)
			return true;
	return false;
}

// A diagnostic inside an alias of the library gets a note: where the script uses that alias.
static void note_use(struct bind *b, size_t mark, const struct chain *chain)
{
	const struct chain *c = chain;

	if (!c)
		return;
	while (c->outer)
		c = c->outer;
	for (size_t i = mark; i < b->opts->dc->diags.n; i++)
		diag_note(b->opts->dc, b->opts->dc->diags.v[i], c->use->span,
			  "through the probe alias used here");
}

// process(PID) probes the program of that process, with the condition that this process runs it.
static const struct ast_expr *condition_of(struct bind *b, const struct ast_point *point)
{
	struct ast_expr *pid = point->parts[0].arg, *is_it;

	if (!pid || pid->kind != AST_NUMBER || !sp_streq(point->parts[0].name, "process"))
		return point->condition;
	is_it = tree_binary(b->arena, BIN_EQ, tree_builtin(b->arena, pid, BUILTIN_PID),
			    tree_number(b->arena, pid, pid->number));
	return point->condition ? tree_binary(b->arena, BIN_LAND, is_it, point->condition) : is_it;
}

// The text of pn(): the alias as the script wrote it, with its suffix.
static const char *name_of(struct bind *b, const struct chain *chain)
{
	struct sp_buf text = { 0 };
	struct ast_point point;
	const char *ret;

	if (!chain)
		return NULL;
	while (chain->outer)
		chain = chain->outer;
	point = *chain->name;
	point.optional = point.sufficient = false;
	point.condition = NULL;
	ast_print_point(&text, &point);
	ret = sp_arena_strdup(b->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return ret;
}

static void define_counter(struct bind *b, const struct site *site)
{
	const struct perf_counter counter = { site->counter, site->args.perf.type, site->args.perf.config, site->origin->span };
	const struct perf_counter *other = program_counter(b->program, counter.name);
	struct diag *d;

	if (!other) {
		sp_vec_push(&b->program->counters, counter);
	} else if (other->type != counter.type || other->config != counter.config) {
		d = diag(b->opts->dc, counter.span, DIAG_PERF_COUNTER, "the counter '%s' counts another event already", counter.name);
		diag_note(b->opts->dc, d, other->span, "defined here");
	}
}

static bool resolve(struct expansion *x, const struct ast_point *point, const struct chain *chain)
{
	struct bind *b = x->b;
	struct sites found = { 0 };
	size_t mark = diag_mark(b->opts->dc);
	bool ok = point_resolve(b->opts->env, point, &found);

	if (found.list.n && found.list.v[0]->counter)
		define_counter(b, found.list.v[0]);
	note_use(b, mark, chain);
	if (found.list.n) {
		// `probe never` is attached nowhere, but its handler is checked.
		bool is_never = found.list.v[0]->is_never;
		struct made *made = make_handler(x, chain, condition_of(b, point), is_never);
		const char *name = name_of(b, chain);

		made->written = point->condition;
		for (size_t i = 0; i < found.list.n && !is_never; i++) {
			found.list.v[i]->name = name;
			sp_vec_push(&made->handler->sites, found.list.v[i]);
		}
		b->program->n_probes += (unsigned)found.list.n;
		ok = true;
	} else if (point->optional || point->sufficient) {
		ok = false; // an optional point without sites is no error, and its `!` does not end the list
	}
	sp_vec_deinit(&found.list);
	return ok;
}

// A point of an alias's definition with what the use adds: for `probe syscall.open.return?` the `.return`, `?` and condition.
static struct ast_point *specialise(struct bind *b, const struct ast_point *point,
				    const struct ast_point *outer, unsigned n_taken)
{
	struct ast_point *ret = sp_arena_memdup(b->arena, point, sizeof(*point));
	unsigned n_rest;

	if (!outer)
		return ret;
	n_rest = outer->n_parts - SP_MIN(n_taken, outer->n_parts);
	ret->parts = sp_arena_array(b->arena, struct ast_point_part, point->n_parts + n_rest);
	memcpy(ret->parts, point->parts, point->n_parts * sizeof(*point->parts));
	if (n_rest)
		memcpy(ret->parts + point->n_parts, outer->parts + n_taken,
		       n_rest * sizeof(*outer->parts));
	ret->n_parts = point->n_parts + n_rest;
	ret->optional |= outer->optional || outer->sufficient;
	if (point->condition && outer->condition)
		ret->condition = tree_binary(b->arena, BIN_LAND, outer->condition, point->condition);
	else if (outer->condition)
		ret->condition = outer->condition;
	return ret;
}

static bool has_wildcard(const struct ast_point *point)
{
	for (unsigned i = 0; i < point->n_parts; i++)
		if (sp_has_glob(point->parts[i].name))
			return true;
	return false;
}

// A wildcard that finds an alias under two names has each event once.
static bool is_found_twice(const struct ast_point *point, const struct chain *chain)
{
	if (!point_is_other_name(point))
		return false;
	for (; chain; chain = chain->outer)
		if (has_wildcard(chain->use))
			return true;
	return false;
}

static bool expand_point(struct expansion *x, const struct ast_point *point, const struct chain *chain);

// What is reported when the first point that the alias stands for has to be there.
static void expand_first(struct expansion *x, const struct ast_point *point, const struct chain *chain, const struct alias_use *first)
{
	struct chain inner = { chain, first->alias, point, specialise(x->b, first->name, point, first->n_parts) };
	struct ast_point *needed = specialise(x->b, first->alias->points.v[0], point, first->n_parts);

	needed->optional = needed->sufficient = false;
	expand_point(x, needed, &inner);
}

// Why its first point is not there. Of an alias that stands for another one: why that one's is not.
static void note_why_none(struct expansion *x, struct diag *d, const struct diag *why)
{
	struct diag_ctx *dc = x->b->opts->dc;

	if (!sp_streq(why->text, NO_POINT_IS_THERE))
		diag_note(dc, d, why->span, "%s", why->text);
	sp_vec_each(note, &why->notes)
		diag_note(dc, d, note->span, "%s", note->text);
	if (why->hint)
		diag_hint(dc, d, "%s", why->hint);
}

// "*.nosuch" finds all aliases there are: what the first one stands for says nothing.
static bool report_behind_many(struct bind *b, const struct ast_point *point, const struct alias_uses *uses)
{
	struct ast_point head = { .parts = point->parts, .n_parts = uses->v.v[0].n_parts };
	struct sp_buf text = { 0 };

	if (uses->v.n < 2 || head.n_parts == point->n_parts || !sp_has_glob(point->parts[0].name))
		return false;
	ast_print_point(&text, &head);
	diag(b->opts->dc, point->parts[head.n_parts].span, DIAG_POINT_UNKNOWN, "'%s' cannot stand behind any of the %zu aliases that match '%s'",
	     point->parts[head.n_parts].name, (size_t)uses->v.n, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return true;
}

// None of the aliases has a site. When something stands behind them, the first one tells what is wrong with it.
static void report_no_alias(struct expansion *x, const struct ast_point *point, const struct chain *chain, const struct alias_uses *uses)
{
	struct diag_ctx *dc = x->b->opts->dc;
	const struct alias_use *first = &uses->v.v[0];
	unsigned n_errors = dc->n_errors;
	size_t mark = diag_mark(dc);
	struct diag why = { 0 }, *d;

	if (report_behind_many(x->b, point, uses))
		return;
	if (!dc->n_trials) // somebody sees it
		expand_first(x, point, chain, first);
	if (dc->n_errors > n_errors && first->n_parts < point->n_parts)
		return;
	if (dc->diags.n > mark) {
		why = *dc->diags.v[mark];
		dc->diags.v[mark]->notes = (__typeof__(why.notes)){ 0 };
	}
	diag_rewind(dc, mark);
	d = diag(dc, point->span, DIAG_POINT_NO_MATCH, NO_POINT_IS_THERE);
	diag_note(dc, d, first->alias->span, "defined here");
	if (why.text)
		note_why_none(x, d, &why);
	sp_vec_deinit(&why.notes);
}

// Expands one point. Of the aliases that match a wildcard, those are probed that the kernel has. An optional point may have an unknown name: that counts as finding no site.
static bool expand_point(struct expansion *x, const struct ast_point *point, const struct chain *chain)
{
	struct bind *b = x->b;
	struct alias_uses uses = { 0 };
	unsigned n_errors = b->opts->dc->n_errors;
	bool found = false, all_optional;

	if (x->n_points == MAX_POINTS)
		diag(b->opts->dc, x->probe->span, DIAG_POINT_COUNT, "the aliases of this probe make more than %d probe points",
		     MAX_POINTS);
	if (x->n_points++ >= MAX_POINTS)
		return false;
	find_aliases(b, point, &uses);
	if (!uses.v.n) {
		if (bind_is_gone(b, point))
			return false;
		if (is_found_twice(point, chain))
			return false;
		if (point_is_family(point->parts[0].name))
			return resolve(x, point, chain);
		if (bind_has_family(b, point))
			return false;
		if (!point->optional && !point->sufficient)
			bind_report_point(b, point);
		return false;
	}
	all_optional = has_wildcard(point) || bind_may_be_gone(b, point);
	for (size_t i = 0; i < uses.v.n; i++) {
		struct alias_use *use = &uses.v.v[i];
		struct chain inner = { chain, use->alias, point, specialise(b, use->name, point, use->n_parts) };

		if (in_chain(chain, use->alias)) {
			struct diag *d = diag(b->opts->dc, use->alias->span, DIAG_ALIAS_CYCLE,
					      "probe alias '%s' stands for itself",
					      point->parts[0].name);

			diag_note(b->opts->dc, d, point->span, "through this point");
			continue;
		}
		use_alias_unit(b, use->alias, point);
		found |= expand_points(x, &use->alias->points, &inner, point, use->n_parts, all_optional);
	}
	if (!found && !point->optional && !point->sufficient && b->opts->dc->n_errors == n_errors && !bind_is_gone(b, point))
		report_no_alias(x, point, chain, &uses);
	sp_vec_deinit(&uses.v);
	return found;
}

// True when a point of the list has sites. `a!, b`: when `a` has sites, the list ends there.
static bool expand_points(struct expansion *x, const struct ast_points *points,
			  const struct chain *chain, const struct ast_point *outer, unsigned n_taken, bool all_optional)
{
	bool any = false;

	for (unsigned i = 0; i < points->n; i++) {
		struct ast_point *point = specialise(x->b, points->v[i], outer, n_taken);
		bool found;

		point->optional |= all_optional;
		found = expand_point(x, point, chain);
		any |= found;
		if (found && points->v[i]->sufficient)
			break;
	}
	return any;
}

static bool are_optional(const struct ast_points *points)
{
	for (unsigned i = 0; i < points->n; i++)
		if (!points->v[i]->optional && !points->v[i]->sufficient)
			return false;
	return true;
}

void bind_probe(struct bind *b, struct ast_probe *probe)
{
	struct expansion x = { .b = b, .probe = probe };

	expand_points(&x, &probe->points, NULL, NULL, 0, false);
	bind_made(&x);
	if (!x.made.n && are_optional(&probe->points) && !bind_is_library_file(b, probe->span.file)) {
		b->left_out = b->left_out ? b->left_out : probe;
		b->n_left_out++;
	}
	sp_vec_deinit(&x.made);
}

// Handlers that run in any case: the script's begin, end and timers.
static bool is_useful(const struct handler *handler)
{
	sp_vec_each(site, &handler->sites)
		if ((*site)->family != &pt_self && (*site)->family != &pt_timer)
			return true;
	return !handler->sites.n; // probe never
}

void bind_tell_left_out(struct bind *b)
{
	struct ast_point plain;
	struct sp_buf text = { 0 };

	if (!b->n_left_out || b->opts->dc->n_errors)
		return;
	sp_vec_each(handler, &b->program->handlers)
		if (is_useful(*handler))
			return;
	plain = *b->left_out->points.v[0];
	plain.optional = plain.sufficient = false;
	ast_print_point(&text, &plain);
	if (b->n_left_out > 1)
		sp_buf_printf(&text, " (and %u more)", b->n_left_out - 1);
	diag(b->opts->dc, b->left_out->span, DIAG_ALL_LEFT_OUT, "nothing is probed: optional, and not there: %s", sp_buf_str(&text));
	sp_buf_deinit(&text);
}
