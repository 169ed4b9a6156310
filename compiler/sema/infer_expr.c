// SPDX-License-Identifier: GPL-2.0-or-later
// Types of expressions.
#include "compiler/model/builtin.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/format.h"
#include "compiler/sema/infer.h"
#include "runtime/base/directive.h"

// `e` is of type `is`, and its place needs `need`: reports a conflict.
static enum ast_type settle(struct infer *t, struct ast_expr *e, enum ast_type is, struct need need)
{
	if (e->type != is && is != TYPE_UNKNOWN) {
		e->type = is;
		t->changed = true;
	}
	if (need.type != TYPE_UNKNOWN && is != TYPE_UNKNOWN && is != TYPE_VOID && is != need.type)
		infer_conflict(t, e, is, need);
	return is;
}

// A variable without a type takes the one that its place needs.
enum ast_type infer_settle_slot(struct infer *t, struct ast_expr *e, struct need need)
{
	struct slot slot = infer_slot(e);

	if (*slot.type == TYPE_UNKNOWN && need.type != TYPE_UNKNOWN) {
		*slot.type = need.type;
		*slot.span = e->span;
		t->changed = true;
	}
	return settle(t, e, *slot.type, need);
}

// print_stack() prints; the text is sprint_stack()'s.
static void hint_text_of(struct infer *t, struct diag *d, const char *name)
{
	const char *what = sp_starts_with(name, "print_") ? name + strlen("print_") : "";

	if (sp_list_has("backtrace, stack, syms, ubacktrace, ustack, usyms", what, strlen(what)))
		diag_hint(t->opts->dc, d, "%s() prints; the text is s%s()", name, name);
}

// The type of an expression whose value is used.
enum ast_type infer_value(struct infer *t, struct ast_expr *e, struct need need)
{
	enum ast_type type = infer_expr(t, e, need);

	if (type == TYPE_VOID && e->kind == AST_CALL) {
		struct diag *d = diag(t->opts->dc, e->span, DIAG_NO_VALUE, "%s() returns nothing",
				      e->call.name);

		if (e->call.function)
			diag_note(t->opts->dc, d, e->call.function->decl->span, "declared here");
		hint_text_of(t, d, e->call.name);
	} else if (type == TYPE_STATS && need.type == TYPE_UNKNOWN && e->kind != AST_HIST) {
		diag_hint(t->opts->dc,
			  diag(t->opts->dc, e->span, DIAG_STATS_USE, "a statistic is not one value"),
			  "take @count, @sum, @min, @max or @avg of it");
	} else if (type == TYPE_VOID && e->kind == AST_PRINT) {
		diag_hint(t->opts->dc,
			  diag(t->opts->dc, e->span, DIAG_NO_VALUE, "printing yields no value"),
			  "sprintf and its kin yield the text");
	}
	return type;
}

static struct need by_operator(enum ast_type type, const struct ast_expr *e)
{
	return (struct need){ .type = type, .why = NEED_OPERATOR, .by = e };
}

void infer_keys(struct infer *t, struct global *g, struct ast_list *keys)
{
	for (unsigned i = 0; i < keys->n && i < g->n_keys; i++) {
		struct need need = {
			.type = g->key_types[i], .why = NEED_KEY, .number = i + 1, .array = g
		};
		enum ast_type type;

		if (!keys->v[i])
			continue;
		type = infer_value(t, keys->v[i], need);
		if (g->key_types[i] == TYPE_UNKNOWN && (type == TYPE_LONG || type == TYPE_STRING)) {
			g->key_types[i] = type;
			g->key_spans[i] = keys->v[i]->span;
			t->changed = true;
		}
	}
}

// The operands of == or of ?: need one common type.
static enum ast_type infer_pair(struct infer *t, struct ast_expr *a, struct ast_expr *b,
				struct need need, const struct ast_expr *op)
{
	enum ast_type ta = infer_value(t, a, need), tb;

	if (need.type == TYPE_UNKNOWN && (ta == TYPE_LONG || ta == TYPE_STRING))
		need = by_operator(ta, op);
	tb = infer_value(t, b, need);
	if (ta == TYPE_UNKNOWN && tb != TYPE_UNKNOWN && tb != TYPE_VOID)
		ta = infer_value(t, a, by_operator(tb, op));
	return ta;
}

static enum ast_type infer_binary(struct infer *t, struct ast_expr *e, struct need need)
{
	switch (e->binary.op) {
	case BIN_CONCAT:
		infer_value(t, e->binary.a, by_operator(TYPE_STRING, e));
		infer_value(t, e->binary.b, by_operator(TYPE_STRING, e));
		return settle(t, e, TYPE_STRING, need);
	case BIN_EQ:
	case BIN_NE:
	case BIN_LT:
	case BIN_LE:
	case BIN_GT:
	case BIN_GE:
		infer_pair(t, e->binary.a, e->binary.b, (struct need){ 0 }, e);
		return settle(t, e, TYPE_LONG, need);
	case BIN_ADD:
	case BIN_SUB:
	case BIN_MUL:
	case BIN_DIV:
	case BIN_MOD:
	case BIN_AND:
	case BIN_OR:
	case BIN_XOR:
	case BIN_SHL:
	case BIN_SHR:
	case BIN_USHR:
	case BIN_LAND:
	case BIN_LOR:
		break;
	}
	infer_value(t, e->binary.a, by_operator(TYPE_LONG, e));
	infer_value(t, e->binary.b, by_operator(TYPE_LONG, e));
	return settle(t, e, TYPE_LONG, need);
}

// An aggregate: `<<<` fills it, @count(x) and the like read it.
static void infer_aggregate(struct infer *t, struct ast_expr *e, struct need need)
{
	struct diag *d;

	if (e->kind != AST_NAME || !e->name.local) {
		infer_value(t, e, need);
		return;
	}
	d = diag(t->opts->dc, e->span, DIAG_STATS_USE, "'%s' is a local variable, which holds no statistics",
		 e->name.name);
	diag_hint(t->opts->dc, d, "declare it: global %s", e->name.name);
}

static enum ast_type infer_assign(struct infer *t, struct ast_expr *e, struct need need)
{
	struct need from_target = { .why = NEED_VARIABLE, .by = e->assign.target };
	enum ast_type type;

	if (e->assign.kind == ASSIGN_STAT) {
		infer_aggregate(t, e->assign.target, by_operator(TYPE_STATS, e));
		infer_value(t, e->assign.value, by_operator(TYPE_LONG, e));
		return settle(t, e, TYPE_LONG, need);
	}
	if (e->assign.kind == ASSIGN_OP) {
		type = e->assign.op == BIN_CONCAT ? TYPE_STRING : TYPE_LONG;
		infer_value(t, e->assign.target, by_operator(type, e));
		infer_value(t, e->assign.value, by_operator(type, e));
		return settle(t, e, type, need);
	}
	from_target.type = infer_expr(t, e->assign.target, need);
	type = infer_value(t, e->assign.value, from_target.type == TYPE_UNKNOWN ? need : from_target);
	if (from_target.type == TYPE_UNKNOWN && type != TYPE_UNKNOWN && type != TYPE_VOID)
		infer_value(t, e->assign.target, (struct need){ .type = type });
	return settle(t, e, type, (struct need){ 0 });
}

static enum ast_type infer_call(struct infer *t, struct ast_expr *e, struct need need)
{
	struct function *f = e->call.function;

	if (!f) {
		const struct builtin *info = builtin_info((enum builtin_id)e->call.builtin);
		static const enum ast_type results[] = { TYPE_VOID, TYPE_LONG, TYPE_STRING };

		for (unsigned i = 0; i < e->call.args.n; i++)
			infer_value(t, e->call.args.v[i],
				    (struct need){ .type = builtin_arg(info, i) == 's' ? TYPE_STRING
										       : TYPE_LONG,
						   .why = NEED_ARGUMENT,
						   .by = e,
						   .number = i + 1 });
		return settle(t, e, results[info->result], need);
	}
	for (unsigned i = 0; i < e->call.args.n; i++) {
		struct local *param = f->locals.v[i];
		enum ast_type type = infer_value(t, e->call.args.v[i],
						 (struct need){ .type = param->type,
								.why = NEED_ARGUMENT,
								.by = e,
								.number = i + 1 });

		if (param->type == TYPE_UNKNOWN && (type == TYPE_LONG || type == TYPE_STRING)) {
			param->type = type;
			param->type_span = e->call.args.v[i]->span;
			t->changed = true;
		}
	}
	if (f->return_type == TYPE_VOID)
		return settle(t, e, TYPE_VOID, (struct need){ 0 });
	return infer_settle_slot(t, e, need);
}

static void format_args(struct infer *t, struct ast_expr *e, unsigned n_wanted)
{
	diag(t->opts->dc, e->op_span, DIAG_FORMAT_ARGS,
	     "the format takes %u argument%s, but there %s %u", n_wanted, n_wanted == 1 ? "" : "s",
	     e->print.args.n == 1 ? "is" : "are", e->print.args.n);
}

// Other numbers are known when the handler runs, which fails then.
static void check_star(struct infer *t, const struct ast_expr *number)
{
	if (number->kind == AST_NUMBER && number->number > SP_DIRECTIVE_MAX_WIDTH)
		diag(t->opts->dc, number->span, DIAG_FORMAT_BAD, "* asks for more than %d characters", SP_DIRECTIVE_MAX_WIDTH);
}

static void infer_format(struct infer *t, struct ast_expr *e)
{
	const struct ast_expr *format = e->print.format;
	struct format_part part;
	enum format_result result;
	unsigned n = 0;
	uint32_t at = 0;

	while ((result = format_next(format->string.text, format->string.len, &at, &part)) ==
	       FORMAT_PART) {
		unsigned n_stars = part.star_width + part.star_precision;

		for (unsigned i = 0; i <= n_stars; i++) {
			bool is_star = i < n_stars;
			struct need need = { .why = NEED_FORMAT,
					     .conversion = is_star ? '*' : part.conversion };

			if (!is_star && (part.conversion == '\0' || part.conversion == '%'))
				continue;
			need.type = !is_star && part.conversion == 's' ? TYPE_STRING : TYPE_LONG;
			if (n < e->print.args.n)
				infer_value(t, e->print.args.v[n], need);
			if (is_star && n < e->print.args.n)
				check_star(t, e->print.args.v[n]);
			n++;
		}
	}
	if (result == FORMAT_TOO_WIDE) {
		diag(t->opts->dc, format_span(t->opts->sources, format, &part), DIAG_FORMAT_BAD,
		     "'%.*s' asks for more than %d characters", (int)part.len, format->string.text + part.off,
		     SP_DIRECTIVE_MAX_WIDTH);
	} else if (result == FORMAT_BAD) {
		bool is_length = part.conversion && strchr("hlLjzt", part.conversion);
		struct diag *d = diag(t->opts->dc, format_span(t->opts->sources, format, &part),
				      DIAG_FORMAT_BAD, "'%.*s' is not a directive", (int)part.len,
				      format->string.text + part.off);

		diag_hint(t->opts->dc, d,
			  is_length ? "every number has 64 bits: leave the length out"
				    : "a percent sign is printed by %%%%");
	} else if (n != e->print.args.n) {
		format_args(t, e, n);
	}
}

static void infer_printed(struct infer *t, struct ast_expr *e)
{
	for (unsigned i = 0; i < e->print.args.n; i++) {
		struct ast_expr *arg = e->print.args.v[i];
		struct need need = { 0 };

		if (e->print.kind == PRINT_CHAR)
			need = (struct need){ .type = TYPE_LONG,
					      .why = NEED_FORMAT,
					      .conversion = 'c' };
		infer_value(t, arg, need);
	}
}

static enum ast_type infer_print(struct infer *t, struct ast_expr *e, struct need need)
{
	if (e->print.kind == PRINT_F)
		infer_format(t, e);
	else
		infer_printed(t, e);
	return settle(t, e, e->print.to_string ? TYPE_STRING : TYPE_VOID, need);
}

static enum ast_type infer_name(struct infer *t, struct ast_expr *e, struct need need)
{
	struct global *g = e->name.global;

	if (g && g->is_array) {
		struct diag *d = diag(t->opts->dc, e->span, DIAG_ARRAY_SHAPE,
				      "'%s' is an array, not a value", g->name);

		if (t->shape_spans[g->index].file)
			diag_note(t->opts->dc, d, t->shape_spans[g->index],
				  "it is used with %u key%s here", g->n_keys,
				  g->n_keys == 1 ? "" : "s");
		return TYPE_UNKNOWN;
	}
	return infer_settle_slot(t, e, need);
}

static void infer_child(void *ctx, struct ast_expr **place)
{
	infer_value(ctx, *place, (struct need){ .type = TYPE_LONG });
}

static enum ast_type infer_resolved(struct infer *t, struct ast_expr *e, struct need need)
{
	struct site_value *v = e->resolved;

	if (v->base == SITE_BASE_EXPR)
		infer_value(t, v->expr, (struct need){ .type = TYPE_LONG });
	for (unsigned i = 0; i < v->n_kept; i++)
		infer_value(t, v->kept[i].value, (struct need){ .type = TYPE_LONG });
	for (unsigned i = 0; i < v->n_steps; i++)
		if (v->steps[i].kind == STEP_SCALE)
			infer_value(t, v->steps[i].index, (struct need){ .type = TYPE_LONG });
	return settle(t, e, v->pretty ? TYPE_STRING : TYPE_LONG, need);
}

static enum ast_type infer_stat(struct infer *t, struct ast_expr *e, struct need need)
{
	struct ast_expr *stat = e->kind == AST_STAT ? e->stat.stat : e->hist.stat;
	struct ast_expr *other = e->kind == AST_STAT ? e->stat.param : e->hist.bucket;

	if (stat)
		infer_aggregate(t, stat, (struct need){ .type = TYPE_STATS });
	if (other)
		infer_child(t, &other);
	if (e->kind == AST_HIST && !e->hist.bucket)
		return settle(t, e, TYPE_STATS, (struct need){ 0 });
	return settle(t, e, TYPE_LONG, need);
}

static enum ast_type embedded_type(const struct ast_expr *e)
{
	const struct embed *embed = e->embedded.embed;

	if (e->embedded.part == AST_EMBED_RUN)
		return TYPE_LONG;
	if (embed->kind == EMBED_BODY)
		return embed->function->return_type;
	return embed->is_string ? TYPE_STRING : TYPE_LONG;
}

enum ast_type infer_expr(struct infer *t, struct ast_expr *e, struct need need)
{
	enum ast_type type;

	switch (e->kind) {
	case AST_NUMBER:
		return settle(t, e, TYPE_LONG, need);
	case AST_STRING:
		return settle(t, e, TYPE_STRING, need);
	case AST_NAME:
		return infer_name(t, e, need);
	case AST_INDEX:
		infer_keys(t, e->index.global, &e->index.keys);
		return infer_settle_slot(t, e, need);
	case AST_CALL:
		return infer_call(t, e, need);
	case AST_PRINT:
		return infer_print(t, e, need);
	case AST_UNARY:
		infer_value(t, e->unary.a, by_operator(TYPE_LONG, e));
		return settle(t, e, TYPE_LONG, need);
	case AST_BINARY:
		return infer_binary(t, e, need);
	case AST_TERNARY:
		infer_value(t, e->ternary.cond,
			    (struct need){ .type = TYPE_LONG, .why = NEED_CONDITION });
		type = infer_pair(t, e->ternary.a, e->ternary.b, need, e);
		return settle(t, e, type, (struct need){ 0 });
	case AST_ASSIGN:
		return infer_assign(t, e, need);
	case AST_INCDEC:
		infer_value(t, e->incdec.target, by_operator(TYPE_LONG, e));
		return settle(t, e, TYPE_LONG, need);
	case AST_IN:
		infer_keys(t, e->in.global, &e->in.keys);
		return settle(t, e, TYPE_LONG, need);
	case AST_REGEX:
		infer_value(t, e->regex.text, by_operator(TYPE_STRING, e));
		return settle(t, e, TYPE_LONG, need);
	case AST_RESOLVED:
		return infer_resolved(t, e, need);
	case AST_STAT:
	case AST_HIST:
		return infer_stat(t, e, need);
	case AST_EMBEDDED:
		return settle(t, e, embedded_type(e), need);
	case AST_PROBEWRITE: // outside an alias, where check refuses it
	case AST_PERF:
		return settle(t, e, TYPE_LONG, need);
	case AST_TARGET: // from here on: context has replaced these
	case AST_CAST:
	case AST_ATVAR:
	case AST_DEFINED:
	case AST_ENTRY:
	case AST_ERROR:
		break;
	}
	return TYPE_UNKNOWN;
}
