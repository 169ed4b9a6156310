// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/ast.h"

#include <stdlib.h>

struct unit *unit_create(uint32_t file)
{
	struct unit *unit = sp_calloc(1, sizeof(*unit));

	unit->file = file;
	return unit;
}

void unit_destroy(struct unit *unit)
{
	if (!unit)
		return;
	sp_arena_deinit(&unit->arena);
	free(unit);
}

// ---- clone ----

static struct ast_list clone_list(struct sp_arena *arena, struct ast_list list)
{
	struct ast_list copy = { .n = list.n };

	copy.v = list.n ? sp_arena_array(arena, struct ast_expr *, list.n) : NULL;
	for (unsigned i = 0; i < list.n; i++)
		copy.v[i] = ast_clone_expr(arena, list.v[i]);
	return copy;
}

static struct ast_steps clone_steps(struct sp_arena *arena, struct ast_steps steps)
{
	struct ast_steps copy = { .n = steps.n };

	copy.v = sp_arena_memdup(arena, steps.v, steps.n * sizeof(*steps.v));
	for (unsigned i = 0; i < steps.n; i++) {
		copy.v[i].name = steps.v[i].name ? sp_arena_strdup(arena, steps.v[i].name) : NULL;
		copy.v[i].index = ast_clone_expr(arena, steps.v[i].index);
	}
	return copy;
}

static const char *clone_text(struct sp_arena *arena, const char *text)
{
	return text ? sp_arena_strdup(arena, text) : NULL;
}

// `copy` is a flat copy: replaces what it points at.
static void clone_parts(struct sp_arena *arena, struct ast_expr *copy)
{
	switch (copy->kind) {
	case AST_NUMBER:
	case AST_RESOLVED:
	case AST_ERROR:
		break;
	case AST_STRING:
		copy->string.text = sp_arena_strndup(arena, copy->string.text, copy->string.len);
		break;
	case AST_NAME:
		copy->name.name = clone_text(arena, copy->name.name);
		break;
	case AST_INDEX:
		copy->index.name = clone_text(arena, copy->index.name);
		copy->index.keys = clone_list(arena, copy->index.keys);
		break;
	case AST_CALL:
		copy->call.name = clone_text(arena, copy->call.name);
		copy->call.args = clone_list(arena, copy->call.args);
		break;
	case AST_PRINT:
		copy->print.format = ast_clone_expr(arena, copy->print.format);
		copy->print.args = clone_list(arena, copy->print.args);
		break;
	case AST_UNARY:
		copy->unary.a = ast_clone_expr(arena, copy->unary.a);
		break;
	case AST_BINARY:
		copy->binary.a = ast_clone_expr(arena, copy->binary.a);
		copy->binary.b = ast_clone_expr(arena, copy->binary.b);
		break;
	case AST_TERNARY:
		copy->ternary.cond = ast_clone_expr(arena, copy->ternary.cond);
		copy->ternary.a = ast_clone_expr(arena, copy->ternary.a);
		copy->ternary.b = ast_clone_expr(arena, copy->ternary.b);
		break;
	case AST_ASSIGN:
		copy->assign.target = ast_clone_expr(arena, copy->assign.target);
		copy->assign.value = ast_clone_expr(arena, copy->assign.value);
		break;
	case AST_INCDEC:
		copy->incdec.target = ast_clone_expr(arena, copy->incdec.target);
		break;
	case AST_IN:
		copy->in.keys = clone_list(arena, copy->in.keys);
		copy->in.name = clone_text(arena, copy->in.name);
		break;
	case AST_REGEX:
		copy->regex.text = ast_clone_expr(arena, copy->regex.text);
		copy->regex.pattern = ast_clone_expr(arena, copy->regex.pattern);
		break;
	case AST_TARGET:
		copy->target.name = clone_text(arena, copy->target.name);
		copy->target.base = ast_clone_expr(arena, copy->target.base);
		copy->target.steps = clone_steps(arena, copy->target.steps);
		break;
	case AST_CAST:
		copy->cast.value = ast_clone_expr(arena, copy->cast.value);
		copy->cast.type_name = clone_text(arena, copy->cast.type_name);
		copy->cast.module = ast_clone_expr(arena, copy->cast.module);
		copy->cast.steps = clone_steps(arena, copy->cast.steps);
		break;
	case AST_ATVAR:
		copy->atvar.name = clone_text(arena, copy->atvar.name);
		copy->atvar.module = ast_clone_expr(arena, copy->atvar.module);
		copy->atvar.steps = clone_steps(arena, copy->atvar.steps);
		break;
	case AST_DEFINED:
		copy->defined.a = ast_clone_expr(arena, copy->defined.a);
		break;
	case AST_ENTRY:
		copy->entry.a = ast_clone_expr(arena, copy->entry.a);
		break;
	case AST_PERF:
		copy->perf.name = clone_text(arena, copy->perf.name);
		break;
	case AST_PROBEWRITE:
		copy->probewrite.name = clone_text(arena, copy->probewrite.name);
		break;
	case AST_STAT:
		copy->stat.stat = ast_clone_expr(arena, copy->stat.stat);
		copy->stat.param = ast_clone_expr(arena, copy->stat.param);
		break;
	case AST_HIST:
		copy->hist.stat = ast_clone_expr(arena, copy->hist.stat);
		copy->hist.bucket = ast_clone_expr(arena, copy->hist.bucket);
		break;
	case AST_EMBEDDED:
		copy->embedded.code = clone_text(arena, copy->embedded.code);
		break;
	}
}

struct ast_expr *ast_clone_expr(struct sp_arena *arena, const struct ast_expr *e)
{
	struct ast_expr *copy;

	if (!e)
		return NULL;
	copy = sp_arena_memdup(arena, e, sizeof(*e));
	clone_parts(arena, copy);
	return copy;
}

static void clone_foreach(struct sp_arena *arena, struct ast_stmt *copy)
{
	copy->foreach.keys = clone_list(arena, copy->foreach.keys);
	copy->foreach.value = ast_clone_expr(arena, copy->foreach.value);
	copy->foreach.array = clone_text(arena, copy->foreach.array);
	copy->foreach.slice = clone_list(arena, copy->foreach.slice);
	copy->foreach.hist = ast_clone_expr(arena, copy->foreach.hist);
	copy->foreach.limit = ast_clone_expr(arena, copy->foreach.limit);
	copy->foreach.body = ast_clone_stmt(arena, copy->foreach.body);
}

struct ast_stmt *ast_clone_stmt(struct sp_arena *arena, const struct ast_stmt *s)
{
	struct ast_stmt *copy;

	if (!s)
		return NULL;
	copy = sp_arena_memdup(arena, s, sizeof(*s));
	switch (s->kind) {
	case AST_S_BLOCK:
		copy->block.v = s->block.n ? sp_arena_array(arena, struct ast_stmt *, s->block.n) : NULL;
		for (unsigned i = 0; i < s->block.n; i++)
			copy->block.v[i] = ast_clone_stmt(arena, s->block.v[i]);
		break;
	case AST_S_EXPR:
	case AST_S_RETURN:
	case AST_S_DELETE:
		copy->expr = ast_clone_expr(arena, s->expr);
		break;
	case AST_S_IF:
		copy->cond.cond = ast_clone_expr(arena, s->cond.cond);
		copy->cond.then = ast_clone_stmt(arena, s->cond.then);
		copy->cond.otherwise = ast_clone_stmt(arena, s->cond.otherwise);
		break;
	case AST_S_WHILE:
	case AST_S_FOR:
		copy->loop.init = ast_clone_expr(arena, s->loop.init);
		copy->loop.cond = ast_clone_expr(arena, s->loop.cond);
		copy->loop.step = ast_clone_expr(arena, s->loop.step);
		copy->loop.body = ast_clone_stmt(arena, s->loop.body);
		break;
	case AST_S_FOREACH:
		clone_foreach(arena, copy);
		break;
	case AST_S_TRY:
		copy->try_.body = ast_clone_stmt(arena, s->try_.body);
		copy->try_.handler = ast_clone_stmt(arena, s->try_.handler);
		copy->try_.message = clone_text(arena, s->try_.message);
		break;
	case AST_S_EMPTY:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	}
	return copy;
}

// ---- walk ----

static void walk_list(struct ast_list *list, ast_visit_fn fn, void *ctx)
{
	for (unsigned i = 0; i < list->n; i++)
		ast_walk_expr(&list->v[i], fn, ctx);
}

static void walk_steps(struct ast_steps *steps, ast_visit_fn fn, void *ctx)
{
	for (unsigned i = 0; i < steps->n; i++)
		ast_walk_expr(&steps->v[i].index, fn, ctx);
}

static void walk_children(struct ast_expr *e, ast_visit_fn fn, void *ctx)
{
	switch (e->kind) {
	case AST_NUMBER:
	case AST_STRING:
	case AST_NAME:
	case AST_PERF:
	case AST_PROBEWRITE:
	case AST_EMBEDDED:
	case AST_RESOLVED:
	case AST_ERROR:
		break;
	case AST_INDEX:
		walk_list(&e->index.keys, fn, ctx);
		break;
	case AST_CALL:
		walk_list(&e->call.args, fn, ctx);
		break;
	case AST_PRINT:
		ast_walk_expr(&e->print.format, fn, ctx);
		walk_list(&e->print.args, fn, ctx);
		break;
	case AST_UNARY:
		ast_walk_expr(&e->unary.a, fn, ctx);
		break;
	case AST_BINARY:
		ast_walk_expr(&e->binary.a, fn, ctx);
		ast_walk_expr(&e->binary.b, fn, ctx);
		break;
	case AST_TERNARY:
		ast_walk_expr(&e->ternary.cond, fn, ctx);
		ast_walk_expr(&e->ternary.a, fn, ctx);
		ast_walk_expr(&e->ternary.b, fn, ctx);
		break;
	case AST_ASSIGN:
		ast_walk_expr(&e->assign.target, fn, ctx);
		ast_walk_expr(&e->assign.value, fn, ctx);
		break;
	case AST_INCDEC:
		ast_walk_expr(&e->incdec.target, fn, ctx);
		break;
	case AST_IN:
		walk_list(&e->in.keys, fn, ctx);
		break;
	case AST_REGEX:
		ast_walk_expr(&e->regex.text, fn, ctx);
		ast_walk_expr(&e->regex.pattern, fn, ctx);
		break;
	case AST_TARGET:
		ast_walk_expr(&e->target.base, fn, ctx);
		walk_steps(&e->target.steps, fn, ctx);
		break;
	case AST_CAST:
		ast_walk_expr(&e->cast.value, fn, ctx);
		ast_walk_expr(&e->cast.module, fn, ctx);
		walk_steps(&e->cast.steps, fn, ctx);
		break;
	case AST_ATVAR:
		ast_walk_expr(&e->atvar.module, fn, ctx);
		walk_steps(&e->atvar.steps, fn, ctx);
		break;
	case AST_DEFINED:
		ast_walk_expr(&e->defined.a, fn, ctx);
		break;
	case AST_ENTRY:
		ast_walk_expr(&e->entry.a, fn, ctx);
		break;
	case AST_STAT:
		ast_walk_expr(&e->stat.stat, fn, ctx);
		ast_walk_expr(&e->stat.param, fn, ctx);
		break;
	case AST_HIST:
		ast_walk_expr(&e->hist.stat, fn, ctx);
		ast_walk_expr(&e->hist.bucket, fn, ctx);
		break;
	}
}

void ast_walk_expr(struct ast_expr **e, ast_visit_fn fn, void *ctx)
{
	if (!*e)
		return;
	walk_children(*e, fn, ctx);
	fn(ctx, e);
}

void ast_walk_stmt(struct ast_stmt *s, ast_visit_fn fn, void *ctx)
{
	if (!s)
		return;
	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; i < s->block.n; i++)
			ast_walk_stmt(s->block.v[i], fn, ctx);
		break;
	case AST_S_EXPR:
	case AST_S_RETURN:
	case AST_S_DELETE:
		ast_walk_expr(&s->expr, fn, ctx);
		break;
	case AST_S_IF:
		ast_walk_expr(&s->cond.cond, fn, ctx);
		ast_walk_stmt(s->cond.then, fn, ctx);
		ast_walk_stmt(s->cond.otherwise, fn, ctx);
		break;
	case AST_S_WHILE:
	case AST_S_FOR:
		ast_walk_expr(&s->loop.init, fn, ctx);
		ast_walk_expr(&s->loop.cond, fn, ctx);
		ast_walk_expr(&s->loop.step, fn, ctx);
		ast_walk_stmt(s->loop.body, fn, ctx);
		break;
	case AST_S_FOREACH:
		walk_list(&s->foreach.keys, fn, ctx);
		ast_walk_expr(&s->foreach.value, fn, ctx);
		walk_list(&s->foreach.slice, fn, ctx);
		ast_walk_expr(&s->foreach.hist, fn, ctx);
		ast_walk_expr(&s->foreach.limit, fn, ctx);
		ast_walk_stmt(s->foreach.body, fn, ctx);
		break;
	case AST_S_TRY:
		ast_walk_stmt(s->try_.body, fn, ctx);
		ast_walk_stmt(s->try_.handler, fn, ctx);
		break;
	case AST_S_EMPTY:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	}
}

// ---- names ----

bool ast_is_lvalue(const struct ast_expr *e)
{
	if (e->kind == AST_CALL)
		return sp_streq(e->call.name, "@kderef") || sp_streq(e->call.name, "@uderef");
	return e->kind == AST_NAME || e->kind == AST_INDEX || e->kind == AST_TARGET || e->kind == AST_CAST ||
	       e->kind == AST_ATVAR || e->kind == AST_ERROR;
}

const char *ast_type_name(enum ast_type type)
{
	switch (type) {
	case TYPE_UNKNOWN: return "unknown";
	case TYPE_LONG: return "long";
	case TYPE_STRING: return "string";
	case TYPE_STATS: return "stats";
	case TYPE_VOID: return "void";
	}
	return "?";
}

const char *ast_binary_op_text(enum ast_binary_op op)
{
	static const char *const texts[] = {
		[BIN_ADD] = "+", [BIN_SUB] = "-", [BIN_MUL] = "*", [BIN_DIV] = "/", [BIN_MOD] = "%",
		[BIN_AND] = "&", [BIN_OR] = "|", [BIN_XOR] = "^", [BIN_SHL] = "<<", [BIN_SHR] = ">>",
		[BIN_USHR] = ">>>", [BIN_EQ] = "==", [BIN_NE] = "!=", [BIN_LT] = "<", [BIN_LE] = "<=",
		[BIN_GT] = ">", [BIN_GE] = ">=", [BIN_LAND] = "&&", [BIN_LOR] = "||", [BIN_CONCAT] = ".",
	};

	return texts[op];
}

const char *ast_stat_op_name(enum ast_stat_op op)
{
	static const char *const names[] = {
		[STAT_COUNT] = "count", [STAT_SUM] = "sum", [STAT_MIN] = "min", [STAT_MAX] = "max",
		[STAT_AVG] = "avg", [STAT_VARIANCE] = "variance",
	};

	return names[op];
}
