// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/dump.h"

#include <inttypes.h>

static void list(struct sp_buf *out, const struct ast_list *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		sp_buf_puts(out, i ? ", " : "");
		if (l->v[i])
			dump_expr(out, l->v[i]);
		else
			sp_buf_putc(out, '*');
	}
}

static void enclosed(struct sp_buf *out, const char *open, const struct ast_list *l, const char *close)
{
	sp_buf_puts(out, open);
	list(out, l);
	sp_buf_puts(out, close);
}

static void operand(struct sp_buf *out, const char *open, const struct ast_expr *e)
{
	sp_buf_puts(out, open);
	dump_expr(out, e);
	sp_buf_putc(out, ')');
}

static void quoted(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_putc(out, '"');
	sp_buf_quoted(out, e->string.text, e->string.len);
	sp_buf_putc(out, '"');
}

static void base(struct sp_buf *out, const struct site_value *v)
{
	switch (v->base) {
	case SITE_BASE_LOC:
		sp_buf_putc(out, '(');
		loc_print(out, v->loc);
		for (unsigned i = 0; i < v->n_kept; i++) {
			sp_buf_printf(out, ", entry reg%" PRId64 " is ", v->kept[i].reg);
			dump_expr(out, v->kept[i].value);
		}
		sp_buf_putc(out, ')');
		break;
	case SITE_BASE_CTX:
		sp_buf_printf(out, "ctx+%" PRIu32 ":%" PRIu32, v->ctx_off, v->ctx_size);
		break;
	case SITE_BASE_REGS:
		sp_buf_printf(out, "regs+%" PRIu32 ":%" PRIu32, v->ctx_off, v->ctx_size);
		break;
	case SITE_BASE_ARGS:
		sp_buf_printf(out, "args+%" PRIu32, v->ctx_off);
		break;
	case SITE_BASE_RESULT:
		sp_buf_puts(out, "result");
		break;
	case SITE_BASE_RECORD:
		sp_buf_printf(out, "record+%" PRIu32 "%s", v->ctx_off,
			      v->is_data_loc ? " data_loc" : "");
		break;
	case SITE_BASE_EXPR:
		dump_expr(out, v->expr);
		break;
	case SITE_BASE_CONST:
		sp_buf_printf(out, "%" PRId64, v->number);
		break;
	}
}

void dump_value_place(struct sp_buf *out, const struct site_value *v)
{
	bool derefs = false;

	for (unsigned i = 0; i < v->n_steps; i++)
		derefs |= v->steps[i].kind == STEP_DEREF;
	if (derefs)
		sp_buf_puts(out, v->space == SPACE_USER ? "user " : "kernel ");
	base(out, v);
	for (unsigned i = 0; i < v->n_steps; i++) {
		switch (v->steps[i].kind) {
		case STEP_ADD:
			sp_buf_printf(out, " %+" PRId64, v->steps[i].bytes);
			break;
		case STEP_DEREF:
			sp_buf_puts(out, " ->");
			break;
		case STEP_SCALE:
			sp_buf_puts(out, " +");
			dump_expr(out, v->steps[i].index);
			sp_buf_printf(out, "*%" PRId64, v->steps[i].bytes);
			break;
		case STEP_VIRTUAL:
			sp_buf_printf(out, " virtual %" PRId64, v->steps[i].bytes);
			break;
		}
	}
	if (v->bit_size)
		sp_buf_printf(out, " bits %" PRIu32 ":%" PRIu32, v->bit_off, v->bit_size);
	sp_buf_puts(out, v->address_of ? " &" : "");
}

// {$p->n: int = kernel ctx+0:8 -> +16}
static void resolved(struct sp_buf *out, const struct site_value *v)
{
	sp_buf_printf(out, "{%s: ", v->text);
	c_type_print(out, v->type);
	sp_buf_puts(out, " = ");
	dump_value_place(out, v);
	sp_buf_putc(out, '}');
}

static void steps(struct sp_buf *out, const struct ast_steps *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		switch (s->v[i].kind) {
		case STEP_MEMBER:
			sp_buf_printf(out, "->%s", s->v[i].name);
			break;
		case STEP_INDEX:
			sp_buf_putc(out, '[');
			dump_expr(out, s->v[i].index);
			sp_buf_putc(out, ']');
			break;
		case STEP_PRETTY:
			sp_buf_putc(out, '$');
			break;
		case STEP_PRETTY_DEEP:
			sp_buf_puts(out, "$$");
			break;
		case STEP_PRETTY_PLAIN:
			break;
		}
	}
}

static void print_call(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_printf(out, "%s(", ast_print_name(e->print.kind, e->print.to_string));
	if (e->print.format) {
		quoted(out, e->print.format);
		sp_buf_puts(out, e->print.args.n ? ", " : "");
	}
	list(out, &e->print.args);
	sp_buf_putc(out, ')');
}

static void assign(struct sp_buf *out, const struct ast_expr *e)
{
	dump_expr(out, e->assign.target);
	switch (e->assign.kind) {
	case ASSIGN_SET:
		sp_buf_puts(out, " = ");
		break;
	case ASSIGN_OP:
		sp_buf_printf(out, " %s= ", ast_binary_op_text(e->assign.op));
		break;
	case ASSIGN_STAT:
		sp_buf_puts(out, " <<< ");
		break;
	}
	dump_expr(out, e->assign.value);
}

static void binary(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_putc(out, '(');
	dump_expr(out, e->binary.a);
	sp_buf_printf(out, " %s ", ast_binary_op_text(e->binary.op));
	dump_expr(out, e->binary.b);
	sp_buf_putc(out, ')');
}

static void ternary(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_putc(out, '(');
	dump_expr(out, e->ternary.cond);
	sp_buf_puts(out, " ? ");
	dump_expr(out, e->ternary.a);
	sp_buf_puts(out, " : ");
	dump_expr(out, e->ternary.b);
	sp_buf_putc(out, ')');
}

static void incdec(struct sp_buf *out, const struct ast_expr *e)
{
	const char *text = e->incdec.delta > 0 ? "++" : "--";

	sp_buf_puts(out, e->incdec.is_prefix ? text : "");
	dump_expr(out, e->incdec.target);
	sp_buf_puts(out, e->incdec.is_prefix ? "" : text);
}

static const char *unary_text(enum ast_unary_op op)
{
	switch (op) {
	case UN_MINUS:
		return "-";
	case UN_PLUS:
		return "+";
	case UN_NOT:
		return "!";
	case UN_BITNOT:
		return "~";
	}
	return "";
}

// An expression that context has not resolved yet, or that failed.
static void unresolved(struct sp_buf *out, const struct ast_expr *e)
{
	if (e->kind == AST_TARGET && e->target.base) {
		dump_expr(out, e->target.base);
		steps(out, &e->target.steps);
	} else {
		ast_print_expr(out, e);
	}
}

void dump_expr(struct sp_buf *out, const struct ast_expr *e)
{
	switch (e->kind) {
	case AST_NUMBER:
		sp_buf_printf(out, "%" PRId64, e->number);
		break;
	case AST_STRING:
		quoted(out, e);
		break;
	case AST_NAME:
		sp_buf_puts(out, e->name.name);
		break;
	case AST_INDEX:
		sp_buf_puts(out, e->index.name);
		enclosed(out, "[", &e->index.keys, "]");
		break;
	case AST_CALL:
		sp_buf_puts(out, e->call.name);
		enclosed(out, "(", &e->call.args, ")");
		break;
	case AST_PRINT:
		print_call(out, e);
		break;
	case AST_UNARY:
		sp_buf_puts(out, unary_text(e->unary.op));
		dump_expr(out, e->unary.a);
		break;
	case AST_BINARY:
		binary(out, e);
		break;
	case AST_TERNARY:
		ternary(out, e);
		break;
	case AST_ASSIGN:
		assign(out, e);
		break;
	case AST_INCDEC:
		incdec(out, e);
		break;
	case AST_IN:
		enclosed(out, "([", &e->in.keys, "] in ");
		sp_buf_printf(out, "%s)", e->in.name);
		break;
	case AST_DEFINED: case AST_ENTRY:
		operand(out, e->kind == AST_DEFINED ? "@defined(" : "@entry(", e->kind == AST_DEFINED ? e->defined.a : e->entry.a);
		break;
	case AST_RESOLVED:
		resolved(out, e->resolved);
		break;
	case AST_ERROR:
		sp_buf_puts(out, "<error>");
		break;
	case AST_TARGET: case AST_CAST: case AST_ATVAR: case AST_REGEX: case AST_PERF: case AST_PROBEWRITE: case AST_STAT: case AST_HIST:
	case AST_EMBEDDED:
		unresolved(out, e);
		break;
	}
}

static void line(struct sp_buf *out, int indent, const char *head, const struct ast_expr *e)
{
	sp_buf_fill(out, '\t', (size_t)indent);
	sp_buf_puts(out, head);
	if (e)
		dump_expr(out, e);
	sp_buf_putc(out, '\n');
}

static void foreach_head(struct sp_buf *out, const struct ast_stmt *s)
{
	const char *sort = s->foreach.sort_dir > 0 ? "+" : s->foreach.sort_dir < 0 ? "-" : "";

	sp_buf_puts(out, "foreach (");
	if (s->foreach.value) {
		dump_expr(out, s->foreach.value);
		sp_buf_puts(out, " = ");
	}
	sp_buf_putc(out, '[');
	for (unsigned i = 0; i < s->foreach.keys.n; i++) {
		sp_buf_puts(out, i ? ", " : "");
		dump_expr(out, s->foreach.keys.v[i]);
		sp_buf_puts(out, s->foreach.sort_key == (int)i + 1 ? sort : "");
	}
	sp_buf_puts(out, "] in ");
	if (s->foreach.hist)
		dump_expr(out, s->foreach.hist);
	else
		sp_buf_puts(out, s->foreach.array);
	if (s->foreach.slice.n) {
		sp_buf_putc(out, '[');
		list(out, &s->foreach.slice);
		sp_buf_putc(out, ']');
	}
	if (s->foreach.sort_key == 0) {
		if (s->foreach.sort_by_stat)
			sp_buf_printf(out, " %s", ast_stat_op_name(s->foreach.sort_stat));
		sp_buf_puts(out, sort);
	}
	if (s->foreach.limit) {
		sp_buf_puts(out, " limit ");
		dump_expr(out, s->foreach.limit);
	}
	sp_buf_puts(out, ")\n");
}

static void for_head(struct sp_buf *out, const struct ast_stmt *s)
{
	const struct ast_expr *parts[] = { s->loop.init, s->loop.cond, s->loop.step };

	sp_buf_puts(out, "for (");
	for (unsigned i = 0; i < SP_ARRAY_SIZE(parts); i++) {
		sp_buf_puts(out, i ? "; " : "");
		if (parts[i])
			dump_expr(out, parts[i]);
	}
	sp_buf_puts(out, ")\n");
}

static void condition(struct sp_buf *out, int indent, const char *open, const struct ast_expr *e)
{
	sp_buf_fill(out, '\t', (size_t)indent);
	operand(out, open, e);
	sp_buf_putc(out, '\n');
}

void dump_stmt(struct sp_buf *out, const struct ast_stmt *s, int indent)
{
	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; i < s->block.n; i++)
			dump_stmt(out, s->block.v[i], indent);
		break;
	case AST_S_EMPTY:
		break;
	case AST_S_EXPR:
		line(out, indent, "", s->expr);
		break;
	case AST_S_IF:
		condition(out, indent, "if (", s->cond.cond);
		dump_stmt(out, s->cond.then, indent + 1);
		if (s->cond.otherwise) {
			line(out, indent, "else", NULL);
			dump_stmt(out, s->cond.otherwise, indent + 1);
		}
		break;
	case AST_S_WHILE:
		condition(out, indent, "while (", s->loop.cond);
		dump_stmt(out, s->loop.body, indent + 1);
		break;
	case AST_S_FOR:
		sp_buf_fill(out, '\t', (size_t)indent);
		for_head(out, s);
		dump_stmt(out, s->loop.body, indent + 1);
		break;
	case AST_S_FOREACH:
		sp_buf_fill(out, '\t', (size_t)indent);
		foreach_head(out, s);
		dump_stmt(out, s->foreach.body, indent + 1);
		break;
	case AST_S_RETURN:
		line(out, indent, s->expr ? "return " : "return", s->expr);
		break;
	case AST_S_NEXT:
		line(out, indent, s->loss == AST_LOSS_PAUSED ? "next, paused" : s->loss ? "next, lost" : "next", NULL);
		break;
	case AST_S_BREAK:
		line(out, indent, "break", NULL);
		break;
	case AST_S_CONTINUE:
		line(out, indent, "continue", NULL);
		break;
	case AST_S_DELETE:
		line(out, indent, "delete ", s->expr);
		break;
	case AST_S_TRY:
		line(out, indent, "try", NULL);
		dump_stmt(out, s->try_.body, indent + 1);
		sp_buf_fill(out, '\t', (size_t)indent);
		sp_buf_printf(out, s->try_.message ? "catch (%s)\n" : "catch\n", s->try_.message);
		dump_stmt(out, s->try_.handler, indent + 1);
		break;
	}
}
