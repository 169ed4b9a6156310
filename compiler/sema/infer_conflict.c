// SPDX-License-Identifier: GPL-2.0-or-later
// Reports type conflicts: the type of an expression, the type that its place needs, and where each was decided.
#include "compiler/sema/infer.h"

static const char *type_text(enum ast_type type)
{
	return type == TYPE_STATS ? "statistic" : ast_type_name(type);
}

struct slot infer_slot(const struct ast_expr *e)
{
	if (e->kind == AST_NAME && e->name.local)
		return (struct slot){ &e->name.local->type, &e->name.local->type_span, e->name.name,
				      false, false };
	if (e->kind == AST_NAME && e->name.global)
		return (struct slot){ &e->name.global->type, &e->name.global->type_span,
				      e->name.name, false, false };
	if (e->kind == AST_INDEX && e->index.global)
		return (struct slot){ &e->index.global->type, &e->index.global->type_span,
				      e->index.name, true, false };
	if (e->kind == AST_CALL && e->call.function)
		return (struct slot){ &e->call.function->return_type, &e->call.function->type_span,
				      e->call.name, false, true };
	return (struct slot){ 0 };
}

// ---- conflicts ------------------------------------------------------------------------------------------------------

static void describe(struct sp_buf *out, const struct ast_expr *e)
{
	struct slot slot = infer_slot(e);

	if (slot.is_element)
		sp_buf_printf(out, "an element of '%s'", slot.name);
	else if (slot.type && !slot.is_result)
		sp_buf_printf(out, "'%s'", slot.name);
	else if (e->kind == AST_CALL)
		sp_buf_printf(out, "the result of %s()", e->call.name);
	else if (e->kind == AST_RESOLVED)
		sp_buf_puts(out, e->resolved->text);
	else
		sp_buf_puts(out, "this");
}

static const char *operator_text(const struct ast_expr *e)
{
	static const char *const unary[] = { "-", "+", "!", "~" };

	if (e->kind == AST_BINARY)
		return ast_binary_op_text(e->binary.op);
	if (e->kind == AST_ASSIGN)
		return e->assign.kind == ASSIGN_OP ? ast_binary_op_text(e->assign.op) : "<<<";
	if (e->kind == AST_UNARY)
		return unary[e->unary.op];
	if (e->kind == AST_INCDEC)
		return e->incdec.delta > 0 ? "++" : "--";
	if (e->kind == AST_TERNARY)
		return "?:";
	return "=~";
}

static void describe_need(struct sp_buf *out, struct need need)
{
	switch (need.why) {
	case NEED_NOTHING:
		sp_buf_puts(out, "this place takes");
		break;
	case NEED_OPERATOR:
		sp_buf_printf(out, "'%s%s' takes", operator_text(need.by),
			      need.by->kind == AST_ASSIGN && need.by->assign.kind == ASSIGN_OP ? "="
											       : "");
		break;
	case NEED_VARIABLE:
		describe(out, need.by);
		sp_buf_puts(out, " is");
		break;
	case NEED_ARGUMENT:
		sp_buf_printf(out, "argument %u of %s() is", need.number, need.by->call.name);
		break;
	case NEED_FORMAT:
		if (need.conversion == '*')
			sp_buf_puts(out, "a width or precision is");
		else
			sp_buf_printf(out, "%%%c prints", need.conversion);
		break;
	case NEED_KEY:
		sp_buf_printf(out, "key %u of '%s' is", need.number, need.array->name);
		break;
	case NEED_RESULT:
		sp_buf_puts(out, "the function returns");
		break;
	case NEED_CONDITION:
		sp_buf_puts(out, "a condition is");
		break;
	}
}

static void note_slot(struct infer *t, struct diag *d, const struct slot *slot, struct span not_here)
{
	struct span span = *slot->span;

	if (span.file == not_here.file && span.off == not_here.off)
		return;
	diag_note(t->opts->dc, d, span, "'%s' is first used as a %s here", slot->name,
		  type_text(*slot->type));
}

static void note_need(struct infer *t, struct diag *d, struct need need, struct span not_here)
{
	struct slot slot = { 0 };
	struct global *array = (struct global *)need.array;

	if (need.why == NEED_VARIABLE)
		slot = infer_slot(need.by);
	else if (need.why == NEED_ARGUMENT && need.by->call.function)
		slot = (struct slot){ &need.by->call.function->locals.v[need.number - 1]->type,
				      &need.by->call.function->locals.v[need.number - 1]->type_span,
				      need.by->call.function->locals.v[need.number - 1]->name,
				      false, false };
	else if (need.why == NEED_RESULT)
		slot = (struct slot){ &t->function->return_type, &t->function->type_span,
				      t->function->name, false, true };
	if (slot.type)
		note_slot(t, d, &slot, not_here);
	if (need.why == NEED_KEY)
		diag_note(t->opts->dc, d, array->key_spans[need.number - 1],
			  "the key is first used as a %s here", type_text(need.type));
}

// "n * 1.5" is "n * 1", a dot, and "5".
static bool is_fraction(const struct ast_expr *dot)
{
	const struct ast_expr *a = dot->binary.a, *b = dot->binary.b;

	while (a->kind == AST_BINARY)
		a = a->binary.b;
	while (b->kind == AST_BINARY)
		b = b->binary.a;
	return a->kind == AST_NUMBER && b->kind == AST_NUMBER;
}

// How the value becomes one of the type that the place takes.
static void hint_conversion(struct infer *t, struct diag *d, enum ast_type is, struct need need)
{
	bool is_format = need.why == NEED_FORMAT && need.conversion != '*';

	if (is == TYPE_LONG && need.type == TYPE_STRING && is_format)
		diag_hint(t->opts->dc, d, "%%d prints numbers");
	else if (is == TYPE_STRING && need.type == TYPE_LONG && is_format)
		diag_hint(t->opts->dc, d, "%%s prints strings");
	else if (is == TYPE_STRING && need.why == NEED_CONDITION)
		diag_hint(t->opts->dc, d, "TEXT != \"\" tells that it is not empty");
	else if (is == TYPE_LONG && need.type == TYPE_STRING && (need.why == NEED_OPERATOR || need.why == NEED_ARGUMENT))
		diag_hint(t->opts->dc, d, "sprint() makes a string of a number");
}

// $name == "text": what is wrong there is the other operand.
static const struct ast_expr *other_operand(const struct ast_expr *e, struct need need)
{
	if (need.why != NEED_OPERATOR || need.by->kind != AST_BINARY)
		return e;
	return e == need.by->binary.b ? need.by->binary.a : need.by->binary.b;
}

static void hint_text(struct infer *t, struct diag *d, const struct ast_expr *e)
{
	if (e->kind == AST_RESOLVED && c_type_is_string(e->resolved->type))
		diag_hint(t->opts->dc, d, "%s_string(%s) is the text", e->resolved->space == SPACE_USER ? "user" : "kernel",
			  e->resolved->text);
}

void infer_conflict(struct infer *t, const struct ast_expr *e, enum ast_type is, struct need need)
{
	struct sp_buf text = { 0 };
	struct slot slot = infer_slot(e);
	bool stats = is == TYPE_STATS || need.type == TYPE_STATS;
	struct diag *d;

	describe(&text, e);
	sp_buf_printf(&text, " is a %s, but ", type_text(is));
	describe_need(&text, need);
	sp_buf_printf(&text, " a %s", type_text(need.type));
	d = diag(t->opts->dc, e->span, stats ? DIAG_STATS_USE : DIAG_TYPE_CONFLICT, "%s",
		 sp_buf_str(&text));
	if (slot.type)
		note_slot(t, d, &slot, e->span);
	note_need(t, d, need, e->span);
	hint_conversion(t, d, is, need);
	if (is == TYPE_STATS && need.type == TYPE_LONG)
		diag_hint(t->opts->dc, d, "take @count, @sum, @min, @max or @avg of it");
	if (need.why == NEED_OPERATOR && need.by->kind == AST_BINARY &&
	    need.by->binary.op == BIN_ADD && is == TYPE_STRING)
		diag_hint(t->opts->dc, d, "strings are joined with '.'");
	if (need.why == NEED_OPERATOR && need.by->kind == AST_BINARY && need.by->binary.op == BIN_CONCAT &&
	    e == need.by->binary.a && (e->kind == AST_RESOLVED || e->kind == AST_TARGET) && need.by->binary.b->kind == AST_NAME)
		diag_hint(t->opts->dc, d, "a member of a structure is written with ->");
	if (need.why == NEED_OPERATOR && need.by->kind == AST_BINARY && need.by->binary.op == BIN_CONCAT && is_fraction(need.by))
		diag_hint(t->opts->dc, d, "numbers are whole; one with a fraction is string_to_fp(\"1.5\"), for fp_add() and the like");
	if (is == TYPE_LONG && need.type == TYPE_STRING)
		hint_text(t, d, e);
	if (is == TYPE_STRING && need.type == TYPE_LONG)
		hint_text(t, d, other_operand(e, need));
	if (need.why == NEED_ARGUMENT && is == TYPE_STRING && need.type == TYPE_LONG && need.by->kind == AST_CALL &&
	    (sp_streq(need.by->call.name, "kernel_string") || sp_streq(need.by->call.name, "user_string")))
		diag_hint(t->opts->dc, d, "it is the text already");
	sp_buf_deinit(&text);
}
