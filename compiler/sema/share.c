// SPDX-License-Identifier: GPL-2.0-or-later
// Statements that the handlers of a probe have in common become a function. In
//
//   probe syscall.* { if (pid() == target()) { calls[name, execname()]++; ... } }
//
// each of 400 aliases puts assignments of its own in front of the same statements. As a function these are made into code once, and
// take what they read of the handler's variables as parameters; the plan decides whether they are called or inlined. Tests that
// guard them stay in the handler, where they cost no call.
#include "compiler/sema/context.h"
#include "compiler/sema/sampled.h"
#include "compiler/sema/tree.h"

#include "runtime/base/buf.h"

#define MIN_HANDLERS 32 // that have the statements in common
#define MIN_NODES 100 // of the statements: beside fewer, the call would take a tenth of the time
#define MAX_KINDS 64 // of statements that differ, in the handlers of a probe

// Of a tree, each before those below it.
struct node {
	struct ast_expr *expr; // or
	struct ast_stmt *stmt;
	struct local **local; // of a name, or of catch
	bool is_written; // the local is
	bool is_outer; // ... and others of the handler's statements use it
	unsigned first; // the first node with that local
	unsigned size; // with those below it
};

struct nodes {
	SP_VEC(struct node) v;
};

// Statements that follow each other in a block of a handler.
struct run {
	struct handler *handler;
	struct ast_stmt *block;
	unsigned first, n;
	struct local **args; // of the handler, that it reads
	unsigned n_args;
};

struct kind {
	struct nodes nodes; // of the first
	SP_VEC(struct run) runs; // that are equal
};

struct share {
	const struct sema_opts *opts;
	struct program *program;
	struct handler *handler; // that is looked at
	unsigned *uses, *first; // of its locals, by index: how often it uses them; the first node of a run that does, + 1
	struct nodes nodes; // of the run that is looked at
	SP_VEC(struct kind) kinds; // of the probe
};

// ---- trees as lists -------------------------------------------------------------------------------------------------

static void list_expr(void *ctx, struct ast_expr **place)
{
	struct nodes *nodes = ctx;
	struct ast_expr *e = *place, *target = e->kind == AST_ASSIGN ? e->assign.target : e->kind == AST_INCDEC ? e->incdec.target : NULL;
	size_t at = nodes->v.n;

	sp_vec_push(&nodes->v, ((struct node){ .expr = e }));
	if (e->kind == AST_NAME && e->name.local)
		nodes->v.v[at].local = &e->name.local;
	tree_expr_children(e, list_expr, ctx);
	if (target) // comes first
		nodes->v.v[at + 1].is_written = true;
	nodes->v.v[at].size = (unsigned)(nodes->v.n - at);
}

static void list_stmt(void *ctx, struct ast_stmt **place)
{
	struct nodes *nodes = ctx;
	struct ast_stmt *s = *place;
	unsigned n_written = s->kind == AST_S_FOREACH ? s->foreach.keys.n + (s->foreach.value != NULL) : 0;
	size_t at = nodes->v.n;

	sp_vec_push(&nodes->v, ((struct node){ .stmt = s }));
	if (s->kind == AST_S_TRY && s->try_.local) {
		nodes->v.v[at].local = &s->try_.local;
		nodes->v.v[at].is_written = true;
	}
	ast_stmt_children(s, list_expr, list_stmt, ctx);
	if (s->kind == AST_S_DELETE)
		n_written = 1;
	for (unsigned i = 0; i < n_written; i++) // keys and value are names, and come first
		nodes->v.v[at + 1 + i].is_written = true;
	nodes->v.v[at].size = (unsigned)(nodes->v.n - at);
}

// With what is known of the handler's locals.
static void list_run(struct share *s, const struct run *run)
{
	unsigned *in_run = sp_calloc(s->handler->locals.n + 1, sizeof(*in_run));
	struct nodes *nodes = &s->nodes;

	nodes->v.n = 0;
	for (unsigned i = 0; i < run->n; i++)
		list_stmt(nodes, &run->block->block.v[run->first + i]);
	memset(s->first, 0, s->handler->locals.n * sizeof(*s->first));
	for (size_t i = 0; i < nodes->v.n; i++) {
		unsigned index = nodes->v.v[i].local ? (*nodes->v.v[i].local)->index : 0;

		if (!nodes->v.v[i].local)
			continue;
		in_run[index]++;
		s->first[index] = s->first[index] ? s->first[index] : (unsigned)i + 1;
		nodes->v.v[i].first = s->first[index] - 1;
	}
	for (size_t i = 0; i < nodes->v.n; i++)
		if (nodes->v.v[i].local)
			nodes->v.v[i].is_outer = in_run[(*nodes->v.v[i].local)->index] < s->uses[(*nodes->v.v[i].local)->index];
	free(in_run);
}

// ---- what can be shared ---------------------------------------------------------------------------------------------

static bool is_plain_call(const struct ast_expr *e)
{
	const struct function *f = e->call.function;

	return f ? !f->needs_context && !f->handler && !f->is_recursive && !f->embed : !tree_asks_site(e);
}

// Does the expression mean the same in each handler, as far as it goes itself?
static bool is_plain_expr(const struct ast_expr *e, const struct site *site)
{
	switch (e->kind) {
	case AST_NUMBER:
	case AST_STRING:
	case AST_INDEX:
	case AST_PRINT:
	case AST_UNARY:
	case AST_BINARY:
	case AST_TERNARY:
	case AST_ASSIGN:
	case AST_INCDEC:
	case AST_IN:
	case AST_STAT:
		return true;
	case AST_NAME:
		return !e->name.local || e->name.local->type == TYPE_LONG || e->name.local->type == TYPE_STRING;
	case AST_CALL:
		return is_plain_call(e) && !sampled_is_asked(e, site);
	case AST_REGEX: // the handler keeps what has matched
	case AST_TARGET:
	case AST_CAST:
	case AST_ATVAR:
	case AST_DEFINED:
	case AST_ENTRY:
	case AST_PERF:
	case AST_PROBEWRITE:
	case AST_HIST:
	case AST_EMBEDDED:
	case AST_RESOLVED:
	case AST_ERROR:
		break;
	}
	return false;
}

// Sorted loops may be where a handler leaves the kernel, and the rest of it is what comes behind.
static bool is_plain_stmt(const struct ast_stmt *s)
{
	return s->kind != AST_S_NEXT && s->kind != AST_S_RETURN && !(s->kind == AST_S_FOREACH && (s->foreach.sort_key >= 0 || s->foreach.hist));
}

static bool is_plain(const struct share *s, struct ast_stmt *stmt)
{
	struct nodes nodes = { 0 };
	bool plain = stmt->kind != AST_S_BREAK && stmt->kind != AST_S_CONTINUE;

	list_stmt(&nodes, &stmt);
	for (size_t i = 0; plain && i < nodes.v.n; i++)
		plain = nodes.v.v[i].stmt ? is_plain_stmt(nodes.v.v[i].stmt) : is_plain_expr(nodes.v.v[i].expr, s->handler->sites.v[0]);
	sp_vec_deinit(&nodes.v);
	return plain;
}

// What the statements assign is their own: nobody reads it behind them.
static bool is_closed(const struct nodes *nodes)
{
	sp_vec_each(node, &nodes->v)
		if (node->is_outer && node->is_written)
			return false;
	return true;
}

// ---- equality -------------------------------------------------------------------------------------------------------

static bool same_expr(const struct ast_expr *a, const struct ast_expr *b)
{
	if (a->kind != b->kind || a->type != b->type || memcmp(&a->span, &b->span, sizeof(a->span)) != 0)
		return false;
	switch (a->kind) {
	case AST_NUMBER:
		return a->number == b->number;
	case AST_STRING:
		return a->string.len == b->string.len && memcmp(a->string.text, b->string.text, a->string.len) == 0;
	case AST_NAME:
		return a->name.global == b->name.global;
	case AST_INDEX:
		return a->index.global == b->index.global;
	case AST_IN:
		return a->in.global == b->in.global;
	case AST_CALL:
		return a->call.function == b->call.function && a->call.builtin == b->call.builtin;
	case AST_PRINT:
		return a->print.kind == b->print.kind && a->print.to_string == b->print.to_string && !a->print.format == !b->print.format &&
		       (!a->print.format || same_expr(a->print.format, b->print.format));
	case AST_UNARY:
		return a->unary.op == b->unary.op;
	case AST_BINARY:
		return a->binary.op == b->binary.op;
	case AST_ASSIGN:
		return a->assign.kind == b->assign.kind && a->assign.op == b->assign.op;
	case AST_INCDEC:
		return a->incdec.delta == b->incdec.delta && a->incdec.is_prefix == b->incdec.is_prefix;
	case AST_STAT:
		return a->stat.op == b->stat.op;
	case AST_TERNARY:
		return true;
	case AST_REGEX: case AST_TARGET: case AST_CAST: case AST_ATVAR: case AST_DEFINED: case AST_ENTRY: case AST_PERF: case AST_PROBEWRITE:
	case AST_HIST: case AST_EMBEDDED: case AST_RESOLVED: case AST_ERROR:
		break;
	}
	return false;
}

// Both come of one statement of the script, so what is at one place in its text has one form.
static bool same_stmt(const struct ast_stmt *a, const struct ast_stmt *b)
{
	return a->kind == b->kind && memcmp(&a->span, &b->span, sizeof(a->span)) == 0 && (a->kind != AST_S_FOREACH || a->foreach.global == b->foreach.global);
}

static bool same_local(const struct node *a, const struct node *b)
{
	return !a->local == !b->local && (!a->local || ((*a->local)->type == (*b->local)->type && a->first == b->first &&
							a->is_outer == b->is_outer && a->is_written == b->is_written));
}

static bool same_nodes(const struct nodes *a, const struct nodes *b)
{
	if (a->v.n != b->v.n)
		return false;
	for (size_t i = 0; i < a->v.n; i++) {
		const struct node *x = &a->v.v[i], *y = &b->v.v[i];

		if (!x->stmt != !y->stmt || x->size != y->size || !same_local(x, y) ||
		    !(x->stmt ? same_stmt(x->stmt, y->stmt) : same_expr(x->expr, y->expr)))
			return false;
	}
	return true;
}

// ---- finding --------------------------------------------------------------------------------------------------------

static void find_in(struct share *s, struct ast_stmt *stmt);

static void note_args(struct share *s, struct run *run)
{
	run->args = sp_arena_array(&s->program->arena, struct local *, s->nodes.v.n);
	for (size_t i = 0; i < s->nodes.v.n; i++)
		if (s->nodes.v.v[i].is_outer && s->nodes.v.v[i].first == i)
			run->args[run->n_args++] = *s->nodes.v.v[i].local;
}

// Adds what is in s->nodes.
static void add_run(struct share *s, struct run run)
{
	note_args(s, &run);
	sp_vec_each(kind, &s->kinds)
		if (same_nodes(&kind->nodes, &s->nodes)) {
			sp_vec_push(&kind->runs, run);
			return;
		}
	if (s->kinds.n == MAX_KINDS)
		return;
	sp_vec_push(&s->kinds, ((struct kind){ .nodes = s->nodes }));
	sp_vec_push(&sp_vec_last(&s->kinds).runs, run);
	memset(&s->nodes, 0, sizeof(s->nodes));
}

// A test that most of the statements depend on is the handler's.
static bool is_guard(const struct share *s, const struct run *run)
{
	return run->block->block.v[run->first]->kind == AST_S_IF && s->nodes.v.v[0].size > s->nodes.v.n / 2;
}

static void find_run(struct share *s, struct run run)
{
	while (run.n) {
		list_run(s, &run);
		if (s->nodes.v.n < MIN_NODES)
			return;
		if (!is_guard(s, &run))
			break;
		find_in(s, run.block->block.v[run.first]);
		run.first++;
		run.n--;
	}
	if (run.n && is_closed(&s->nodes))
		add_run(s, run);
}

static void find_in_block(struct share *s, struct ast_stmt *block)
{
	struct run run = { .handler = s->handler, .block = block };

	for (unsigned i = 0; i < block->block.n; i++) {
		struct ast_stmt *stmt = block->block.v[i];

		if (stmt->kind != AST_S_BLOCK && is_plain(s, stmt)) {
			run.first = run.n++ ? run.first : i;
			continue;
		}
		find_run(s, run);
		run.n = 0;
		find_in(s, stmt);
	}
	find_run(s, run);
}

// Not in loops, where variables keep their values from one round to the next.
static void find_in(struct share *s, struct ast_stmt *stmt)
{
	if (stmt->kind == AST_S_BLOCK)
		find_in_block(s, stmt);
	if (stmt->kind != AST_S_IF)
		return;
	find_in(s, stmt->cond.then);
	if (stmt->cond.otherwise)
		find_in(s, stmt->cond.otherwise);
}

static void count_uses(struct share *s)
{
	struct nodes nodes = { 0 };

	s->uses = sp_calloc(s->handler->locals.n + 1, sizeof(*s->uses));
	list_stmt(&nodes, &s->handler->body);
	sp_vec_each(node, &nodes.v)
		if (node->local)
			s->uses[(*node->local)->index]++;
	sp_vec_deinit(&nodes.v);
}

static void find_in_handler(struct share *s, struct handler *h)
{
	s->handler = h;
	count_uses(s);
	s->first = sp_calloc(h->locals.n + 1, sizeof(*s->first));
	find_in(s, h->body);
	free(s->uses);
	free(s->first);
}

// ---- functions ------------------------------------------------------------------------------------------------------

// The function's own variables in place of the handler's: parameters, then others.
static void own_locals(struct share *s, struct kind *kind, struct function *f)
{
	struct nodes *nodes = &kind->nodes;
	struct local **own = sp_calloc(nodes->v.n, sizeof(*own));

	for (int others = 0; others < 2; others++) {
		for (size_t i = 0; i < nodes->v.n; i++) {
			const struct node *node = &nodes->v.v[i];

			if (!node->local || node->first != i || node->is_outer == others)
				continue;
			own[i] = sp_arena_memdup(&s->program->arena, *node->local, sizeof(**node->local));
			own[i]->index = (unsigned)f->locals.n;
			sp_vec_push(&f->locals, own[i]);
		}
		f->n_params = others ? f->n_params : (unsigned)f->locals.n;
	}
	sp_vec_each(node, &nodes->v)
		if (node->local)
			*node->local = own[node->first];
	free(own);
}

static struct function *make_function(struct share *s, struct kind *kind)
{
	const struct run *run = &kind->runs.v[0];
	struct function *f = sp_arena_new(&s->program->arena, struct function);
	struct ast_stmt **first = run->block->block.v + run->first;

	f->name = sp_arena_printf(&s->program->arena, "shared_%zu", s->program->functions.n);
	f->body = tree_block(&s->program->arena, first[0]->span, first, run->n);
	f->return_type = TYPE_VOID;
	f->has_effect = f->is_used = true;
	f->index = (unsigned)s->program->functions.n;
	own_locals(s, kind, f);
	sp_vec_push(&s->program->functions, f);
	return f;
}

// Without a place: it is no call of the script's that an error would tell of.
static struct ast_stmt *make_call(struct share *s, struct function *f, const struct run *run)
{
	struct sp_arena *arena = &s->program->arena;
	struct ast_expr *call = sp_arena_new(arena, struct ast_expr);

	call->kind = AST_CALL;
	call->type = TYPE_VOID;
	call->call.name = f->name;
	call->call.function = f;
	call->call.builtin = -1;
	call->call.args.v = sp_arena_array(arena, struct ast_expr *, run->n_args + 1);
	for (unsigned i = 0; i < run->n_args; i++)
		call->call.args.v[call->call.args.n++] = tree_local(arena, call, run->args[i]);
	return tree_expr_stmt(arena, call);
}

static void call_function(struct share *s, struct function *f, const struct run *run)
{
	struct ast_stmt **place = run->block->block.v + run->first;

	place[0] = make_call(s, f, run);
	for (unsigned i = 1; i < run->n; i++)
		place[i] = tree_stmt(&s->program->arena, AST_S_EMPTY, SPAN_NONE);
}

static void drop_locals(struct share *s, struct handler *h)
{
	size_t n = 0;

	s->handler = h;
	count_uses(s);
	for (size_t i = 0; i < h->locals.n; i++)
		if (s->uses[i])
			h->locals.v[n++] = h->locals.v[i];
	h->locals.n = n;
	for (size_t i = 0; i < n; i++)
		h->locals.v[i]->index = (unsigned)i;
	free(s->uses);
}

// ---- all ------------------------------------------------------------------------------------------------------------

static void share_kinds(struct share *s)
{
	sp_vec_each(kind, &s->kinds) {
		struct function *f = kind->runs.n >= MIN_HANDLERS ? make_function(s, kind) : NULL;

		sp_vec_each(run, &kind->runs)
			if (f)
				call_function(s, f, run);
	}
	sp_vec_each(kind, &s->kinds) {
		sp_vec_each(run, &kind->runs)
			if (kind->runs.n >= MIN_HANDLERS)
				drop_locals(s, run->handler);
		sp_vec_deinit(&kind->nodes.v);
		sp_vec_deinit(&kind->runs);
	}
	s->kinds.n = 0;
}

void sema_share(const struct sema_opts *opts, struct program *program)
{
	struct share s = { .opts = opts, .program = program };
	size_t end;

	if (opts->dc->n_errors || opts->unoptimized || opts->limits_nesting)
		return;
	for (size_t i = 0; i < program->handlers.n; i = end) {
		const struct ast_probe *probe = program->handlers.v[i]->probe;

		for (end = i; end < program->handlers.n && program->handlers.v[end]->probe == probe;)
			end++;
		for (size_t k = i; k < end && end - i >= MIN_HANDLERS; k++)
			if (program->handlers.v[k]->sites.n)
				find_in_handler(&s, program->handlers.v[k]);
		share_kinds(&s);
	}
	sp_vec_deinit(&s.nodes.v);
	sp_vec_deinit(&s.kinds);
}
