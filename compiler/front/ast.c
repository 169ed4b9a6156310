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
