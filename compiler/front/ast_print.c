// SPDX-License-Identifier: GPL-2.0-or-later
// ast_print_*(): expressions and probe points as script text, as messages quote them.
#include "compiler/front/ast.h"

#include <inttypes.h>

// Levels of precedence, as in parse_expr.h; a higher one binds tighter.
enum { LEVEL_ASSIGN, LEVEL_TERNARY, LEVEL_LOR, LEVEL_LAND, LEVEL_OR, LEVEL_XOR, LEVEL_AND, LEVEL_IN, LEVEL_COMPARE,
       LEVEL_SHIFT, LEVEL_CONCAT, LEVEL_ADD, LEVEL_MUL, LEVEL_UNARY, LEVEL_POSTFIX, LEVEL_PRIMARY };

static void print_at(struct sp_buf *out, const struct ast_expr *e, int level);

static int binary_level(enum ast_binary_op op)
{
	switch (op) {
	case BIN_LOR:
		return LEVEL_LOR;
	case BIN_LAND:
		return LEVEL_LAND;
	case BIN_OR:
		return LEVEL_OR;
	case BIN_XOR:
		return LEVEL_XOR;
	case BIN_AND:
		return LEVEL_AND;
	case BIN_EQ:
	case BIN_NE:
	case BIN_LT:
	case BIN_LE:
	case BIN_GT:
	case BIN_GE:
		return LEVEL_COMPARE;
	case BIN_SHL:
	case BIN_SHR:
	case BIN_USHR:
		return LEVEL_SHIFT;
	case BIN_CONCAT:
		return LEVEL_CONCAT;
	case BIN_ADD:
	case BIN_SUB:
		return LEVEL_ADD;
	case BIN_MUL:
	case BIN_DIV:
	case BIN_MOD:
		return LEVEL_MUL;
	}
	return LEVEL_PRIMARY;
}

static int expr_level(const struct ast_expr *e)
{
	switch (e->kind) {
	case AST_ASSIGN:
		return LEVEL_ASSIGN;
	case AST_TERNARY:
		return LEVEL_TERNARY;
	case AST_BINARY:
		return binary_level(e->binary.op);
	case AST_IN:
		return LEVEL_IN;
	case AST_REGEX:
		return LEVEL_COMPARE;
	case AST_UNARY:
		return LEVEL_UNARY;
	case AST_INCDEC:
		return e->incdec.is_prefix ? LEVEL_UNARY : LEVEL_POSTFIX;
	case AST_TARGET:
		return e->target.address_of ? LEVEL_UNARY : LEVEL_PRIMARY;
	case AST_CAST:
		return e->cast.address_of ? LEVEL_UNARY : LEVEL_PRIMARY;
	case AST_ATVAR:
		return e->atvar.address_of ? LEVEL_UNARY : LEVEL_PRIMARY;
	case AST_NUMBER:
		return e->number < 0 ? LEVEL_UNARY : LEVEL_PRIMARY;
	case AST_STRING:
	case AST_NAME:
	case AST_INDEX:
	case AST_CALL:
	case AST_PRINT:
	case AST_DEFINED:
	case AST_ENTRY:
	case AST_PERF:
	case AST_PROBEWRITE:
	case AST_STAT:
	case AST_HIST:
	case AST_EMBEDDED:
	case AST_RESOLVED:
	case AST_ERROR:
		return LEVEL_PRIMARY;
	}
	return LEVEL_PRIMARY;
}

static void print_quoted(struct sp_buf *out, const char *text, size_t len)
{
	sp_buf_putc(out, '"');
	sp_buf_quoted(out, text, len);
	sp_buf_putc(out, '"');
}

static void print_list(struct sp_buf *out, struct ast_list list)
{
	for (unsigned i = 0; i < list.n; i++) {
		sp_buf_puts(out, i ? ", " : "");
		if (list.v[i])
			print_at(out, list.v[i], LEVEL_ASSIGN);
		else
			sp_buf_putc(out, '*');
	}
}

static void print_steps(struct sp_buf *out, struct ast_steps steps)
{
	for (unsigned i = 0; i < steps.n; i++) {
		const struct ast_step *step = &steps.v[i];

		switch (step->kind) {
		case STEP_MEMBER:
			sp_buf_printf(out, "->%s", step->name);
			break;
		case STEP_INDEX:
			sp_buf_putc(out, '[');
			print_at(out, step->index, LEVEL_ASSIGN);
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

static void print_print(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_printf(out, "%s(", ast_print_name(e->print.kind, e->print.to_string));
	if (e->print.format) {
		print_at(out, e->print.format, LEVEL_ASSIGN);
		sp_buf_puts(out, e->print.args.n ? ", " : "");
	}
	print_list(out, e->print.args);
	sp_buf_putc(out, ')');
}

static void print_unary(struct sp_buf *out, const struct ast_expr *e)
{
	static const char texts[] = { [UN_MINUS] = '-', [UN_PLUS] = '+', [UN_NOT] = '!', [UN_BITNOT] = '~' };
	const struct ast_expr *a = e->unary.a;
	bool needs_blank = (e->unary.op == UN_MINUS || e->unary.op == UN_PLUS) &&
			   (a->kind == AST_UNARY || (a->kind == AST_INCDEC && a->incdec.is_prefix) ||
			    (a->kind == AST_NUMBER && a->number < 0));

	sp_buf_printf(out, "%c%s", texts[e->unary.op], needs_blank ? " " : "");
	print_at(out, a, LEVEL_UNARY);
}

static void print_target(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_puts(out, e->target.address_of ? "&" : "");
	if (e->target.base)
		print_at(out, e->target.base, LEVEL_PRIMARY);
	else
		sp_buf_puts(out, e->target.name);
	print_steps(out, e->target.steps);
}

static void print_module(struct sp_buf *out, const struct ast_expr *module)
{
	if (module) {
		sp_buf_puts(out, ", ");
		print_at(out, module, LEVEL_ASSIGN);
	}
	sp_buf_putc(out, ')');
}

static void print_hist(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_puts(out, e->hist.is_linear ? "@hist_linear(" : "@hist_log(");
	print_at(out, e->hist.stat, LEVEL_ASSIGN);
	if (e->hist.is_linear)
		sp_buf_printf(out, ", %" PRId64 ", %" PRId64 ", %" PRId64, e->hist.low, e->hist.high, e->hist.step);
	sp_buf_putc(out, ')');
	if (e->hist.bucket) {
		sp_buf_putc(out, '[');
		print_at(out, e->hist.bucket, LEVEL_ASSIGN);
		sp_buf_putc(out, ']');
	}
}

static void print_number(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_printf(out, "%" PRId64, e->number);
}

static void print_string(struct sp_buf *out, const struct ast_expr *e)
{
	print_quoted(out, e->string.text, e->string.len);
}

static void print_name(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_puts(out, e->name.name);
}

static void print_index(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_printf(out, "%s[", e->index.name);
	print_list(out, e->index.keys);
	sp_buf_putc(out, ']');
}

static void print_call(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_printf(out, "%s(", e->call.name);
	print_list(out, e->call.args);
	sp_buf_putc(out, ')');
}

static void print_binary(struct sp_buf *out, const struct ast_expr *e)
{
	int level = expr_level(e);

	print_at(out, e->binary.a, level);
	sp_buf_printf(out, " %s ", ast_binary_op_text(e->binary.op));
	print_at(out, e->binary.b, level + 1);
}

static void print_ternary(struct sp_buf *out, const struct ast_expr *e)
{
	print_at(out, e->ternary.cond, LEVEL_TERNARY + 1);
	sp_buf_puts(out, " ? ");
	print_at(out, e->ternary.a, LEVEL_ASSIGN);
	sp_buf_puts(out, " : ");
	print_at(out, e->ternary.b, LEVEL_TERNARY);
}

static void print_assign(struct sp_buf *out, const struct ast_expr *e)
{
	print_at(out, e->assign.target, LEVEL_TERNARY);
	sp_buf_printf(out, " %s%s ", e->assign.kind == ASSIGN_OP ? ast_binary_op_text(e->assign.op) : "",
		      e->assign.kind == ASSIGN_STAT ? "<<<" : "=");
	print_at(out, e->assign.value, LEVEL_ASSIGN);
}

static void print_incdec(struct sp_buf *out, const struct ast_expr *e)
{
	const char *text = e->incdec.delta > 0 ? "++" : "--";

	sp_buf_puts(out, e->incdec.is_prefix ? text : "");
	print_at(out, e->incdec.target, LEVEL_PRIMARY);
	sp_buf_puts(out, e->incdec.is_prefix ? "" : text);
}

static void print_in(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_putc(out, '[');
	print_list(out, e->in.keys);
	sp_buf_printf(out, "] in %s", e->in.name);
}

static void print_regex(struct sp_buf *out, const struct ast_expr *e)
{
	print_at(out, e->regex.text, LEVEL_COMPARE);
	sp_buf_puts(out, e->regex.negated ? " !~ " : " =~ ");
	print_at(out, e->regex.pattern, LEVEL_SHIFT);
}

static void print_enum_name(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_puts(out, "@enumname(");
	print_quoted(out, e->cast.type_name, strlen(e->cast.type_name));
	sp_buf_puts(out, ", ");
	print_at(out, e->cast.value, LEVEL_ASSIGN);
	print_module(out, e->cast.module);
}

static void print_cast(struct sp_buf *out, const struct ast_expr *e)
{
	if (e->cast.is_enum) {
		print_enum_name(out, e);
		return;
	}
	sp_buf_puts(out, e->cast.address_of ? "&@cast(" : "@cast(");
	print_at(out, e->cast.value, LEVEL_ASSIGN);
	sp_buf_puts(out, ", ");
	print_quoted(out, e->cast.type_name, strlen(e->cast.type_name));
	print_module(out, e->cast.module);
	print_steps(out, e->cast.steps);
}

static void print_atvar(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_puts(out, e->atvar.address_of ? "&" : "");
	sp_buf_puts(out, e->atvar.is_enum ? "@enum(" : "@var(");
	print_quoted(out, e->atvar.name, strlen(e->atvar.name));
	print_module(out, e->atvar.module);
	print_steps(out, e->atvar.steps);
}

static void print_defined(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_puts(out, "@defined(");
	print_at(out, e->defined.a, LEVEL_ASSIGN);
	sp_buf_putc(out, ')');
}

static void print_entry(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_puts(out, "@entry(");
	print_at(out, e->entry.a, LEVEL_ASSIGN);
	sp_buf_putc(out, ')');
}

static void print_perf(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_puts(out, "@perf(");
	print_quoted(out, e->perf.name, strlen(e->perf.name));
	sp_buf_putc(out, ')');
}

static void print_probewrite(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_printf(out, "@probewrite(%s)", e->probewrite.name);
}

static void print_stat(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_printf(out, "%s(", ast_stat_op_name(e->stat.op));
	print_at(out, e->stat.stat, LEVEL_ASSIGN);
	if (e->stat.param) {
		sp_buf_puts(out, ", ");
		print_at(out, e->stat.param, LEVEL_ASSIGN);
	}
	sp_buf_putc(out, ')');
}

static void print_embedded(struct sp_buf *out, const struct ast_expr *e)
{
	sp_buf_printf(out, "%%{%s%%}", e->embedded.code);
}

// A node that sema has made has no text in the script.
static void print_resolved(struct sp_buf *out, const struct ast_expr *e SP_UNUSED)
{
	sp_buf_puts(out, "...");
}

static void print_error(struct sp_buf *out, const struct ast_expr *e)
{
	print_resolved(out, e);
}

static void print_expr(struct sp_buf *out, const struct ast_expr *e)
{
	static void (*const printers[])(struct sp_buf *out, const struct ast_expr *e) = {
#define AST_EXPR(kind, name) print_##name,
#include "compiler/front/ast.def"
#undef AST_EXPR
	};

	printers[e->kind](out, e);
}

static void print_at(struct sp_buf *out, const struct ast_expr *e, int level)
{
	bool parens = expr_level(e) < level;

	sp_buf_puts(out, parens ? "(" : "");
	print_expr(out, e);
	sp_buf_puts(out, parens ? ")" : "");
}

void ast_print_expr(struct sp_buf *out, const struct ast_expr *e)
{
	print_at(out, e, LEVEL_ASSIGN);
}

void ast_print_point(struct sp_buf *out, const struct ast_point *p)
{
	for (unsigned i = 0; i < p->n_parts; i++) {
		const struct ast_point_part *part = &p->parts[i];

		sp_buf_printf(out, "%s%s", i ? "." : "", part->name);
		if (part->arg) {
			sp_buf_putc(out, '(');
			if (part->arg->kind != AST_ERROR)
				print_at(out, part->arg, LEVEL_ASSIGN);
			sp_buf_putc(out, ')');
		}
	}
	sp_buf_puts(out, p->sufficient ? "!" : p->optional ? "?" : "");
	if (p->condition) {
		sp_buf_puts(out, " if (");
		print_at(out, p->condition, LEVEL_ASSIGN);
		sp_buf_putc(out, ')');
	}
}
