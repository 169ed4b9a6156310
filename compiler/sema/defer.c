// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of the library's aliases are computed where the script reads them. In
//
//   probe syscall.openat { if (pid() == target()) printf("%s(%s)\n", name, argstr) }
//
// argstr is a text made of other variables, and nobody wants it in other processes. An assignment that an alias makes moves to
// the place that reads its variable when that is the only one, and when it would find there what it finds now: nothing that it
// reads can have changed. And a text that is only made to be printed becomes part of what is printed: the runtime writes
// printf("%s(%s, %d)\n", name, ...), and no handler has to write numbers into texts.
#include "compiler/sema/effect.h"
#include "compiler/sema/format.h"
#include "compiler/sema/sema.h"
#include "compiler/sema/tree.h"

#include "runtime/base/buf.h"

#define MAX_PRINTED 32 // arguments of a print that others are put into
#define MAX_DEPTH 32 // of functions in functions

// How a handler uses one of its locals.
struct use {
	unsigned n_reads, n_writes;
	unsigned read_at, written_at; // the last of them, counted through the handler
	struct ast_expr **read; // the place that does
	bool is_guarded; // ... is in a loop or in a try block
	bool is_given; // its only write is behind us, and is done in each run of the handler
};

struct defer {
	const struct sema_opts *opts;
	struct sp_arena *arena; // the program's
	struct handler *handler;
	struct use *uses; // by index of the local
	unsigned now; // how many uses have been counted
	unsigned guards; // loops and try blocks around the place that is looked at
	bool stores; // the handler writes memory of the kernel or of programs
	bool changed;
};

static bool is_library(const struct defer *d, struct span span)
{
	const struct source_file *file = span.file ? source_file(d->opts->sources, span.file) : NULL;

	return file && file->kind != SOURCE_USER;
}

// ---- who reads and writes -------------------------------------------------------------------------------------------

static struct use *use_of(const struct defer *d, const struct ast_expr *e)
{
	return e->kind == AST_NAME && e->name.local ? &d->uses[e->name.local->index] : NULL;
}

static void count_write(struct defer *d, const struct ast_expr *target)
{
	struct use *use = use_of(d, target);

	if (use) {
		use->n_writes++;
		use->written_at = ++d->now;
	}
	d->stores |= target->kind != AST_NAME && target->kind != AST_INDEX;
}

static void count_expr(void *ctx, struct ast_expr **place)
{
	struct defer *d = ctx;
	struct ast_expr *e = *place;
	struct use *use = use_of(d, e);

	if (use) {
		use->n_reads++;
		use->read_at = ++d->now;
		use->read = place;
		use->is_guarded = d->guards > 0;
	}
	if (e->kind == AST_ASSIGN && e->assign.kind == ASSIGN_SET && use_of(d, e->assign.target)) {
		count_expr(d, &e->assign.value);
		count_write(d, e->assign.target);
		return;
	}
	if (e->kind == AST_ASSIGN)
		count_write(d, e->assign.target);
	else if (e->kind == AST_INCDEC) {
		count_write(d, e->incdec.target);
	}
	tree_expr_children(e, count_expr, d);
}

static void count_stmt(void *ctx, struct ast_stmt **place)
{
	struct defer *d = ctx;
	struct ast_stmt *s = *place;
	bool guards = s->kind == AST_S_FOR || s->kind == AST_S_WHILE || s->kind == AST_S_FOREACH || s->kind == AST_S_TRY;

	d->guards += guards;
	if (s->kind == AST_S_DELETE)
		count_write(d, s->expr);
	for (unsigned i = 0; s->kind == AST_S_FOREACH && i < s->foreach.keys.n; i++)
		count_write(d, s->foreach.keys.v[i]);
	if (s->kind == AST_S_FOREACH && s->foreach.value)
		count_write(d, s->foreach.value);
	if (s->kind == AST_S_TRY && s->try_.local)
		d->uses[s->try_.local->index].n_writes++;
	ast_stmt_children(s, count_expr, count_stmt, d);
	d->guards -= guards;
}

// ---- what can move --------------------------------------------------------------------------------------------------

struct movable {
	const struct defer *d;
	unsigned depth;
	bool ok;
};

static bool is_changing_builtin(int builtin)
{
	return builtin == BUILTIN_GETTIMEOFDAY_NS || builtin == BUILTIN_KTIME_GET_NS || builtin == BUILTIN_GET_CYCLES ||
	       builtin == BUILTIN_JIFFIES || builtin == BUILTIN_RANDINT || builtin == BUILTIN_MATCHED || builtin == BUILTIN_NGROUPS;
}

static void check_in_function(void *ctx, struct ast_expr **place);

static void check_function_stmt(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, check_in_function, check_function_stmt, ctx);
}

// What a value reads must be the same later: no globals that somebody writes, no clocks.
static void check_state(struct movable *m, const struct ast_expr *e)
{
	const struct global *g = e->kind == AST_NAME ? e->name.global : e->kind == AST_INDEX ? e->index.global :
				 e->kind == AST_IN ? e->in.global : NULL;

	if ((g && g->is_written) || e->kind == AST_STAT || e->kind == AST_HIST || e->kind == AST_EMBEDDED || e->kind == AST_PERF)
		m->ok = false;
	if (e->kind != AST_CALL || !m->ok)
		return;
	if (!e->call.function) {
		m->ok = !is_changing_builtin(e->call.builtin);
	} else if (m->depth == MAX_DEPTH || e->call.function->embed) {
		m->ok = false;
	} else {
		m->depth++;
		check_function_stmt(m, &e->call.function->body);
		m->depth--;
	}
}

static void check_in_function(void *ctx, struct ast_expr **place)
{
	struct movable *m = ctx;

	if (m->ok)
		check_state(m, *place);
	if (m->ok)
		tree_expr_children(*place, check_in_function, m);
}

static void check_in_handler(void *ctx, struct ast_expr **place)
{
	struct movable *m = ctx;
	const struct use *use = use_of(m->d, *place);

	if (use && !use->is_given)
		m->ok = false;
	if (m->ok)
		check_state(m, *place);
	if (m->ok)
		tree_expr_children(*place, check_in_handler, m);
}

static bool can_move(const struct defer *d, struct ast_expr **value)
{
	struct movable m = { .d = d, .ok = !d->stores && !effect_of_expr(*value) };

	if (m.ok)
		check_in_handler(&m, value);
	return m.ok;
}

// ---- moving ---------------------------------------------------------------------------------------------------------

static void defer_assignment(struct defer *d, struct ast_stmt *s)
{
	struct ast_expr *e = s->expr;
	struct use *use = e->kind == AST_ASSIGN && e->assign.kind == ASSIGN_SET ? use_of(d, e->assign.target) : NULL;

	if (!use)
		return;
	use->is_given = use->n_writes == 1;
	if (!use->is_given || use->n_reads != 1 || use->read_at < use->written_at || use->is_guarded || !is_library(d, s->span) || !can_move(d, &e->assign.value))
		return;
	*use->read = e->assign.value;
	s->kind = AST_S_EMPTY;
	d->changed = true;
	use->n_reads = use->n_writes = 0;
}

// Statements that each run of the handler comes to, in order, up to the first that may leave it.
static bool defer_block(struct defer *d, struct ast_stmt *s)
{
	bool goes_on = true;

	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; goes_on && i < s->block.n; i++)
			goes_on = defer_block(d, s->block.v[i]);
		return goes_on;
	case AST_S_EXPR:
		defer_assignment(d, s);
		return true;
	case AST_S_EMPTY:
	case AST_S_DELETE:
		return true;
	case AST_S_IF:
	case AST_S_WHILE:
	case AST_S_FOR:
	case AST_S_FOREACH:
	case AST_S_TRY:
	case AST_S_RETURN:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	}
	return false;
}

// The places that read what has moved are other ones now: counts again, and is done when nothing moves.
static void count(struct defer *d)
{
	memset(d->uses, 0, d->handler->locals.n * sizeof(*d->uses));
	d->stores = false;
	d->now = 0;
	count_stmt(d, &d->handler->body);
}

// ---- texts that are printed -----------------------------------------------------------------------------------------

struct printed {
	struct sp_buf format;
	struct ast_expr *args[MAX_PRINTED];
	unsigned n_args;
	bool fits, changed;
};

static void put_arg(struct printed *p, struct ast_expr *e)
{
	p->fits &= p->n_args < MAX_PRINTED;
	if (p->fits)
		p->args[p->n_args++] = e;
}

static bool is_made_text(const struct defer *d, const struct ast_expr *e)
{
	return e->kind == AST_PRINT && e->print.to_string && e->print.kind == PRINT_F && is_library(d, e->span);
}

static void put_format(const struct defer *d, struct printed *p, const struct ast_expr *print)
{
	const struct ast_expr *format = print->print.format;
	const char *text = format->string.text;
	struct format_part part;
	unsigned arg = 0;

	for (uint32_t at = 0; format_next(text, format->string.len, &at, &part) == FORMAT_PART;) {
		bool is_plain = part.conversion == 's' && part.spec_len == 1 && part.len == 2;

		if (is_plain && is_made_text(d, print->print.args.v[arg])) {
			put_format(d, p, print->print.args.v[arg++]);
			p->changed = true;
			continue;
		}
		sp_buf_add(&p->format, text + part.off, part.len);
		if (!part.conversion || part.conversion == '%')
			continue;
		for (int n = 1 + part.star_width + part.star_precision; n > 0; n--)
			put_arg(p, print->print.args.v[arg++]);
	}
}

// A text as a format has it.
static void put_text(struct sp_buf *format, const char *text)
{
	for (; *text; text++) {
		sp_buf_putc(format, *text);
		if (*text == '%')
			sp_buf_putc(format, '%');
	}
}

// print() and println() as printf() would have it.
static void put_list(const struct defer *d, struct printed *p, const struct ast_expr *print)
{
	for (unsigned i = 0; i < print->print.args.n; i++) {
		struct ast_expr *arg = print->print.args.v[i];

		if (is_made_text(d, arg)) {
			put_format(d, p, arg);
			p->changed = true;
			continue;
		}
		if (arg->kind == AST_STRING && !memchr(arg->string.text, '\0', arg->string.len)) {
			put_text(&p->format, arg->string.text);
			continue;
		}
		p->fits &= arg->type == TYPE_LONG || arg->type == TYPE_STRING;
		sp_buf_puts(&p->format, arg->type == TYPE_STRING ? "%s" : "%d");
		put_arg(p, arg);
	}
	if (print->print.kind == PRINT_LN)
		sp_buf_putc(&p->format, '\n');
}

static void join_print(void *ctx, struct ast_expr **place)
{
	struct defer *d = ctx;
	struct ast_expr *e = *place;
	struct printed p = { .fits = true };

	tree_expr_children(e, join_print, d);
	if (e->kind != AST_PRINT || (e->print.kind != PRINT_F && e->print.kind != PRINT_LN && e->print.kind != PRINT_PLAIN))
		return;
	if (e->print.kind == PRINT_F)
		put_format(d, &p, e);
	else
		put_list(d, &p, e);
	if (p.fits && p.changed) {
		e->print.format = tree_string(d->arena, e, sp_arena_strdup(d->arena, sp_buf_str(&p.format)));
		e->print.kind = PRINT_F;
		e->print.args.v = sp_arena_memdup(d->arena, p.args, (p.n_args + 1) * sizeof(*p.args));
		e->print.args.n = p.n_args;
	}
	sp_buf_deinit(&p.format);
}

static void join_stmt(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, join_print, join_stmt, ctx);
}

// ---- all ------------------------------------------------------------------------------------------------------------

static void drop_locals(struct handler *h, const struct use *uses)
{
	size_t n = 0;

	for (size_t i = 0; i < h->locals.n; i++)
		if (uses[i].n_reads || uses[i].n_writes)
			h->locals.v[n++] = h->locals.v[i];
	h->locals.n = n;
	for (size_t i = 0; i < n; i++)
		h->locals.v[i]->index = (unsigned)i;
}

static void defer_handler(const struct sema_opts *opts, struct sp_arena *arena, struct handler *h)
{
	struct defer d = { .opts = opts, .arena = arena, .handler = h, .uses = sp_calloc(h->locals.n + 1, sizeof(*d.uses)) };
	bool moved = false;

	do {
		d.changed = false;
		count(&d);
		defer_block(&d, h->body);
		moved |= d.changed;
	} while (d.changed);
	if (moved) {
		join_stmt(&d, &h->body);
		drop_locals(h, d.uses);
	}
	free(d.uses);
}

void sema_defer(const struct sema_opts *opts, struct program *program)
{
	if (opts->dc->n_errors)
		return;
	sp_vec_each(h, &program->handlers)
		if (!opts->unoptimized && (*h)->locals.n)
			defer_handler(opts, &program->arena, *h);
}
