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
	name_index_deinit(&unit->alias_index);
	sp_arena_deinit(&unit->arena);
	free(unit);
}

const char *ast_print_name(enum ast_print_kind kind, bool to_string)
{
	static const char *const names[AST_PRINT_KINDS] = {
		[PRINT_PLAIN] = "sprint", [PRINT_LN] = "sprintln", [PRINT_D] = "sprintd",
		[PRINT_DLN] = "sprintdln", [PRINT_F] = "sprintf", [PRINT_CHAR] = "sprint_char",
	};

	return names[kind] + !to_string;
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
	for (unsigned i = 0; i < steps.n; i++)
		copy.v[i].index = ast_clone_expr(arena, steps.v[i].index);
	return copy;
}

// `at` is a field of a flat copy: the expressions that it points at are copied, too. Texts are shared.
static void clone_field(struct sp_arena *arena, const struct ast_field *field, void *at)
{
	struct ast_expr **e = at;

	switch (field->form) {
	case FIELD_NEEDED:
	case FIELD_OPTIONAL:
	case FIELD_LITERAL:
		*e = ast_clone_expr(arena, *e);
		break;
	case FIELD_LIST:
	case FIELD_SLICE:
		*(struct ast_list *)at = clone_list(arena, *(struct ast_list *)at);
		break;
	case FIELD_STEPS:
		*(struct ast_steps *)at = clone_steps(arena, *(struct ast_steps *)at);
		break;
	case FIELD_TEXT:
	case FIELD_END:
		break;
	}
}

struct ast_expr *ast_clone_expr(struct sp_arena *arena, const struct ast_expr *e)
{
	struct ast_expr *copy;

	if (!e)
		return NULL;
	copy = sp_arena_memdup(arena, e, sizeof(*e));
	for (const struct ast_field *field = ast_fields(e->kind); field->form != FIELD_END; field++)
		clone_field(arena, field, (char *)copy + field->offset);
	return copy;
}

static void clone_foreach(struct sp_arena *arena, struct ast_stmt *copy)
{
	copy->foreach.keys = clone_list(arena, copy->foreach.keys);
	copy->foreach.value = ast_clone_expr(arena, copy->foreach.value);
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
		return sp_streq(e->call.name, "@kderef") || sp_streq(e->call.name, "@uderef") ||
		       sp_streq(e->call.name, "@kregister") || sp_streq(e->call.name, "@uregister");
	return e->kind == AST_NAME || e->kind == AST_INDEX || e->kind == AST_TARGET || (e->kind == AST_CAST && !e->cast.is_enum) ||
	       (e->kind == AST_ATVAR && !e->atvar.is_enum) || e->kind == AST_ERROR;
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
		[STAT_COUNT] = "@count", [STAT_SUM] = "@sum", [STAT_MIN] = "@min", [STAT_MAX] = "@max",
		[STAT_AVG] = "@avg", [STAT_VARIANCE] = "@variance",
	};

	return names[op];
}
