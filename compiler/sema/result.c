// SPDX-License-Identifier: GPL-2.0-or-later
// returnval() is a register of 64 bits, and a function may have set 32 of them: -ENOENT of an int is 4294967294 there.
//
// Where debug information tells the type of the result, its width and sign count. Where nothing does, what is the number of an
// error as an int (-4095 to -1, above 32 zero bits) is taken for one.
#include "compiler/debug/dbg.h"
#include "compiler/model/builtin.h"
#include "compiler/sema/context.h"
#include "compiler/sema/tree.h"

#define MAX_ERRNO 4095

// NULL: nothing tells it. A function that returns nothing has a C_VOID or no type, as its debug information has it.
static const struct c_type *type_of(const struct site *site)
{
	const struct c_type *type = NULL;
	const struct loc *loc;

	if (!site->is_return || !site->func)
		return NULL;
	sp_err_free(dbg_return_at(site->func, &type, &loc));
	return c_type_strip(type);
}

static struct ast_expr *with(struct sp_arena *arena, enum ast_binary_op op, struct ast_expr *e, int64_t number)
{
	return tree_binary(arena, op, e, tree_number(arena, e, number));
}

// value - ((value >= 0xfffff001 && value <= 0xffffffff) << 32)
static struct ast_expr *sign_errors(struct sp_arena *arena, struct ast_expr *value)
{
	struct ast_expr *low = with(arena, BIN_GE, ast_clone_expr(arena, value), UINT32_MAX - MAX_ERRNO + 1);
	struct ast_expr *high = with(arena, BIN_LE, ast_clone_expr(arena, value), UINT32_MAX);
	struct ast_expr *is_error = tree_binary(arena, BIN_LAND, low, high);

	return tree_binary(arena, BIN_SUB, value, with(arena, BIN_SHL, is_error, 32));
}

void result_sign(const struct scene *scene, struct ast_expr **place)
{
	struct sp_arena *arena = scene->cx->arena;
	struct ast_expr *e = *place;
	const struct c_type *type;
	int64_t unused;

	if (e->kind != AST_CALL || e->call.function || e->call.builtin != BUILTIN_RETURNVAL || !scene->site)
		return;
	if (scene->site->exit == EXIT_JUMP) {
		point_report_no_result(scene->cx->opts->env, scene->site, e->span, "returnval()");
		e->kind = AST_ERROR;
		return;
	}
	type = type_of(scene->site);
	if (!type) {
		*place = sign_errors(arena, e);
	} else if ((type->kind == C_INT || type->kind == C_ENUM) && type->size && type->size < 8) {
		unused = 64 - 8 * (int64_t)type->size;
		*place = with(arena, type->is_signed ? BIN_SHR : BIN_USHR, with(arena, BIN_SHL, e, unused), unused);
	}
}
