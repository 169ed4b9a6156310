// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/program.h"
#include "compiler/sema/dump.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/tree.h"

#include <inttypes.h>
#include <stdlib.h>

void program_destroy(struct program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->functions.n; i++)
		sp_vec_deinit(&program->functions.v[i]->locals);
	for (size_t i = 0; i < program->handlers.n; i++) {
		sp_vec_deinit(&program->handlers.v[i]->locals);
		sp_vec_deinit(&program->handlers.v[i]->sites);
	}
	sp_vec_each(embed, &program->embeds)
		embed_destroy(*embed);
	sp_vec_deinit(&program->embeds);
	sp_vec_deinit(&program->globals);
	sp_vec_deinit(&program->functions);
	sp_vec_deinit(&program->handlers);
	sp_arena_deinit(&program->arena);
	free(program);
}

// ---- dump -----------------------------------------------------------------------------------------------------------

static void print_type(struct sp_buf *out, enum ast_type type, uint32_t cap)
{
	sp_buf_puts(out, ast_type_name(type));
	if (type == TYPE_STRING && cap)
		sp_buf_printf(out, "[%" PRIu32 "]", cap);
}

static void dump_global(struct sp_buf *out, const struct global *g)
{
	sp_buf_printf(out, "global %s", g->name);
	if (g->is_array) {
		sp_buf_putc(out, '[');
		for (unsigned i = 0; i < g->n_keys; i++) {
			sp_buf_puts(out, i ? ", " : "");
			print_type(out, g->key_types ? g->key_types[i] : TYPE_UNKNOWN,
				   g->key_caps ? g->key_caps[i] : 0);
		}
		sp_buf_putc(out, ']');
	}
	sp_buf_puts(out, ": ");
	print_type(out, g->type, g->cap);
	if (g->init) {
		sp_buf_puts(out, " = ");
		dump_expr(out, g->init);
	}
	if (g->size)
		sp_buf_printf(out, " size %" PRId64, g->size);
	sp_buf_printf(out, "%s%s%s%s\n", g->wraps ? " wraps" : "", g->is_private ? " private" : "",
		      g->is_read ? " read" : "", g->is_written ? " written" : "");
}

static void dump_local(struct sp_buf *out, const struct local *local, const char *what)
{
	sp_buf_printf(out, "\t%s %s: ", what, local->name);
	print_type(out, local->type, local->cap);
	if (local->c_type) {
		sp_buf_puts(out, " -> ");
		c_type_print(out, local->c_type);
	}
	sp_buf_putc(out, '\n');
}

static void dump_function(struct sp_buf *out, const struct function *f)
{
	sp_buf_printf(out, "function %s: ", f->name);
	print_type(out, f->return_type, f->return_cap);
	sp_buf_printf(out, "%s\n", f->is_recursive ? " recursive" : "");
	for (size_t i = 0; i < f->locals.n; i++)
		dump_local(out, f->locals.v[i], i < f->n_params ? "param" : "local");
	dump_stmt(out, f->body, 1);
}

static const char *prog_kind_name(enum sp_prog_kind kind)
{
	static const char *const names[] = { "user",   "regs", "fentry", "fexit",
					     "raw_tp", "tp",   "perf" };

	return (size_t)kind < SP_ARRAY_SIZE(names) ? names[kind] : "unknown";
}

static void dump_handler(struct sp_buf *out, const struct handler *h)
{
	sp_buf_printf(out, "handler %s%s\n", prog_kind_name(h->prog_kind), h->is_return ? " return" : "");
	for (size_t i = 0; i < h->sites.n; i++) {
		const struct site *site = h->sites.v[i];

		sp_buf_printf(out, "\tsite %s%s", site->point, site->optional ? " optional" : "");
		if (site->kind == SP_SITE_TIMER)
			sp_buf_printf(out, " every %" PRId64 " ns +- %" PRId64, site->args.timer.period,
				      site->args.timer.deviation);
		if (*site->why)
			sp_buf_printf(out, " (%s)", site->why);
		sp_buf_putc(out, '\n');
	}
	for (size_t i = 0; i < h->locals.n; i++)
		dump_local(out, h->locals.v[i], "local");
	dump_stmt(out, h->body, 1);
}

void program_dump(struct sp_buf *out, const struct program *program)
{
	for (size_t i = 0; i < program->globals.n; i++)
		dump_global(out, program->globals.v[i]);
	for (size_t i = 0; i < program->functions.n; i++)
		dump_function(out, program->functions.v[i]);
	for (size_t i = 0; i < program->handlers.n; i++)
		dump_handler(out, program->handlers.v[i]);
}

// ---- verify ---------------------------------------------------------------------------------------------------------

struct check {
	const struct program *program;
	const struct function *function;
	const struct handler *handler;
	const char *broken;
};

static bool has_local(const struct check *c, const struct local *local)
{
	struct local *const *v = c->function ? c->function->locals.v : c->handler->locals.v;
	size_t n = c->function ? c->function->locals.n : c->handler->locals.n;

	return local->index < n && v[local->index] == local;
}

static bool has_global(const struct check *c, const struct global *g)
{
	return g && g->index < c->program->globals.n && c->program->globals.v[g->index] == g;
}

static void fail(struct check *c, const char *what)
{
	if (!c->broken)
		c->broken = what;
}

static void verify_expr(void *ctx, struct ast_expr **place)
{
	struct check *c = ctx;
	const struct ast_expr *e = *place;
	bool is_typed = c->program->stage == PROGRAM_TYPED;

	switch (e->kind) {
	case AST_NAME:
		if (!e->name.local == !e->name.global)
			fail(c, "a name that is not bound to one variable");
		else if (e->name.local ? !has_local(c, e->name.local)
				       : !has_global(c, e->name.global))
			fail(c, "a name bound to a variable of another body");
		break;
	case AST_INDEX:
		if (!has_global(c, e->index.global) ||
		    (is_typed && e->index.keys.n != e->index.global->n_keys))
			fail(c, "an element without its array");
		break;
	case AST_IN:
		if (!has_global(c, e->in.global) ||
		    (is_typed && e->in.keys.n != e->in.global->n_keys))
			fail(c, "`in` without its array");
		break;
	case AST_CALL:
		if (!e->call.function && e->call.builtin < 0)
			fail(c, "a call of nothing");
		break;
	case AST_RESOLVED:
		if (!e->resolved || !e->resolved->type)
			fail(c, "a target variable without a type");
		break;
	case AST_TARGET:
	case AST_CAST:
	case AST_ATVAR:
	case AST_DEFINED:
	case AST_ENTRY:
		if (c->program->stage != PROGRAM_BOUND)
			fail(c, "a target variable that is not resolved");
		break;
	case AST_ERROR:
		fail(c, "a poisoned node");
		break;
	case AST_NUMBER:
	case AST_STRING:
	case AST_PRINT:
	case AST_UNARY:
	case AST_BINARY:
	case AST_TERNARY:
	case AST_ASSIGN:
	case AST_INCDEC:
	case AST_REGEX:
	case AST_PERF:
	case AST_PROBEWRITE:
	case AST_STAT:
	case AST_HIST:
		break;
	case AST_EMBEDDED:
		if (!e->embedded.embed)
			fail(c, "embedded code that was not read");
		break;
	}
}

const char *program_verify(const struct program *program)
{
	struct check c = { .program = program };

	for (size_t i = 0; i < program->globals.n; i++) {
		const struct global *g = program->globals.v[i];

		if (g->index != i)
			return "a global with a wrong index";
		if (g->is_array && g->n_keys && !g->key_types)
			return "an array without key types";
	}
	for (size_t i = 0; i < program->functions.n; i++) {
		c.function = program->functions.v[i];
		if (c.function->is_used)
			tree_walk_stmt(c.function->body, verify_expr, &c);
	}
	c.function = NULL;
	for (size_t i = 0; i < program->handlers.n; i++) {
		c.handler = program->handlers.v[i];
		tree_walk_stmt(c.handler->body, verify_expr, &c);
		sp_vec_each(site, &c.handler->sites)
			if (program->stage != PROGRAM_BOUND &&
			    (*site)->prog_kind != c.handler->prog_kind)
				return "a handler with sites of several kinds";
	}
	return c.broken;
}
