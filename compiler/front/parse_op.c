// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/parse_op.h"

#include "compiler/front/parse_expr.h"
#include "compiler/front/parse_value.h"

enum op_kind {
#define OPERATOR(kind, text) OP_##kind,
#include "operator.def"
#undef OPERATOR
	OP_NONE
};

static enum op_kind op_kind(const struct token *token)
{
	static const char *const texts[] = {
#define OPERATOR(kind, text) text,
#include "operator.def"
#undef OPERATOR
	};

	for (size_t i = 0; token->kind == TOK_AT && i < SP_ARRAY_SIZE(texts); i++)
		if (token_is(token, texts[i]))
			return i;
	return OP_NONE;
}

bool parse_op_stat(const struct token *token, enum ast_stat_op *ret)
{
	static const enum op_kind kinds[] = {
		[STAT_COUNT] = OP_COUNT, [STAT_SUM] = OP_SUM, [STAT_MIN] = OP_MIN, [STAT_MAX] = OP_MAX,
		[STAT_AVG] = OP_AVG, [STAT_VARIANCE] = OP_VARIANCE,
	};
	enum op_kind kind = op_kind(token);

	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++) {
		if (kinds[i] == kind) {
			*ret = i;
			return true;
		}
	}
	return false;
}

bool parse_op_is_hist(const struct token *token)
{
	enum op_kind kind = op_kind(token);

	return kind == OP_HIST_LOG || kind == OP_HIST_LINEAR;
}

void parse_op_check_embedded(struct parser *p, struct span span, const char *what)
{
	struct diag *d;

	if (p->allows_embedded)
		return;
	d = parser_error(p, span, DIAG_GURU_NEEDED, "%s in a script needs guru mode", what);
	diag_hint(p->dc, d, "run it with -g");
	p->panic = false;
}

// The "(" behind an operator's or print's name, which has been consumed.
static const struct token *open_args(struct parser *p)
{
	const struct token *open = parser_peek(p);

	parser_expect(p, TOK_LPAREN);
	return open;
}

static struct ast_expr *literal_string(struct parser *p, const char *what)
{
	struct diag *d;

	if (parser_is(p, TOK_STRING))
		return parse_string(p);
	d = parser_expected(p, DIAG_LITERAL_NEEDED, what);
	if (parser_peek(p)->kind == TOK_NAME)
		diag_hint(p->dc, d, "put it into double quotes");
	return parser_expr(p, AST_ERROR, parser_peek(p)->span, parser_peek(p)->span);
}

static struct ast_expr *poison(struct ast_expr *e)
{
	e->kind = AST_ERROR;
	return e;
}

// A global or array element that <<< fills.
static struct ast_expr *parse_stat_operand(struct parser *p)
{
	struct ast_expr *e = parse_expr(p);

	if (!p->panic && e->kind != AST_NAME && e->kind != AST_INDEX && e->kind != AST_ERROR) {
		struct diag *d = parser_error(p, e->span, DIAG_STAT_OPERAND, "this is no statistics variable");

		diag_hint(p->dc, d, "name a global or array element that is filled with <<<");
		p->panic = false;
		poison(e);
	}
	return e;
}

static struct ast_expr *parse_stat(struct parser *p, struct ast_expr *e, enum ast_stat_op op)
{
	const struct token *open = open_args(p);
	unsigned height;

	e->kind = AST_STAT;
	e->stat.op = op;
	e->stat.stat = parse_stat_operand(p);
	height = p->height;
	if (op == STAT_VARIANCE && parser_accept(p, TOK_COMMA)) {
		const struct token *bits = parser_peek(p);

		if (!parser_is(p, TOK_NUMBER))
			parser_expected(p, DIAG_LITERAL_NEEDED, "the number of bits to shift");
		else if (bits->number > 62)
			parser_complain(p, bits->span, DIAG_LITERAL_NEEDED, "the number of bits to shift is 0 to 62");
		e->stat.param = parse_expr(p);
		height = SP_MAX(height, p->height);
	}
	parser_close(p, TOK_RPAREN, open);
	p->height = height;
	return e;
}

static void parse_hist_number(struct parser *p, const char *what, int64_t *ret)
{
	parser_expect(p, TOK_COMMA);
	if (!parse_number(p, ret) && !p->panic)
		parser_expected(p, DIAG_LITERAL_NEEDED, what);
}

// In SystemTap's words.
static void check_limits(struct parser *p, const struct ast_expr *e)
{
	uint64_t range = (uint64_t)e->hist.high - (uint64_t)e->hist.low;
	struct diag *d;

	if (e->hist.step > 0 && e->hist.low <= e->hist.high && range / (uint64_t)e->hist.step <= AST_HIST_MAX_STEPS)
		return;
	if (!e->hist.step) {
		parser_complain(p, e->span, DIAG_HIST_USE, "histogram: interval cannot be zero");
		return;
	}
	d = parser_complain(p, e->span, DIAG_HIST_USE, "histogram: Number of buckets must be between 1 and %d",
			    AST_HIST_MAX_STEPS);
	diag_hint(p->dc, d, "Number_of_buckets = (stop - start) / interval. Please adjust your start, stop, and interval values");
}

struct ast_expr *parse_hist(struct parser *p)
{
	const struct token *name = parser_next(p), *open;
	struct ast_expr *e = parser_expr(p, AST_HIST, name->span, name->span);
	unsigned height;

	e->hist.is_linear = op_kind(name) == OP_HIST_LINEAR;
	open = open_args(p);
	e->hist.stat = parse_stat_operand(p);
	height = p->height;
	if (e->hist.is_linear) {
		parse_hist_number(p, "the histogram's lowest value, a number", &e->hist.low);
		parse_hist_number(p, "the histogram's highest value, a number", &e->hist.high);
		parse_hist_number(p, "the width of the histogram's steps, a number", &e->hist.step);
	}
	parser_close(p, TOK_RPAREN, open);
	e->span = parser_span_from(p, name);
	if (!p->panic && e->hist.is_linear)
		check_limits(p, e);
	open = parser_peek(p);
	if (parser_accept(p, TOK_LBRACKET)) {
		e->hist.bucket = parse_expr(p);
		parser_close(p, TOK_RBRACKET, open);
		e->span = parser_span_from(p, name);
		height = SP_MAX(height, p->height);
	}
	p->height = height;
	parse_expr_grow(p, 0);
	return e;
}

static void report_hist(struct parser *p, struct ast_expr *e)
{
	struct diag *d = parser_error(p, e->span, DIAG_HIST_USE, "a histogram is not a value");

	diag_hint(p->dc, d, "print it alone, make it a string with sprint(), index it, or use foreach (bucket in %s(...))",
		  e->hist.is_linear ? "@hist_linear" : "@hist_log");
	p->panic = false;
	poison(e);
}

static struct ast_expr *parse_cast(struct parser *p, struct ast_expr *e)
{
	const struct token *open = open_args(p);
	struct ast_expr *type;
	unsigned height;

	e->kind = AST_CAST;
	e->cast.value = parse_expr(p);
	height = p->height;
	parser_expect(p, TOK_COMMA);
	type = literal_string(p, "the name of a type, in double quotes");
	e->cast.type_name = type->kind == AST_STRING ? type->string.text : "";
	if (parser_accept(p, TOK_COMMA))
		e->cast.module = literal_string(p, "the name of a module, in double quotes");
	parser_close(p, TOK_RPAREN, open);
	p->height = height;
	return e;
}

// @enumname("type", value, "module")
static struct ast_expr *parse_enum_name(struct parser *p, struct ast_expr *e)
{
	const struct token *open = open_args(p);
	struct ast_expr *type = literal_string(p, "the name of an enumeration, in double quotes");
	unsigned height;

	parser_expect(p, TOK_COMMA);
	e->kind = AST_CAST;
	e->cast.is_enum = true;
	e->cast.type_name = type->kind == AST_STRING ? type->string.text : "";
	e->cast.value = parse_expr(p);
	height = p->height;
	e->cast.steps = (struct ast_steps){ sp_arena_new(p->arena, struct ast_step), 1 };
	e->cast.steps.v[0] = (struct ast_step){ .kind = STEP_PRETTY, .span = e->op_span };
	if (parser_accept(p, TOK_COMMA))
		e->cast.module = literal_string(p, "the name of a module, in double quotes");
	parser_close(p, TOK_RPAREN, open);
	p->height = height;
	return e;
}

static struct ast_expr *parse_atvar(struct parser *p, struct ast_expr *e, bool is_enum)
{
	const struct token *open = open_args(p);
	struct ast_expr *name = literal_string(p, is_enum ? "the name of an enumerator, in double quotes" :
							   "the name of a variable, in double quotes");

	e->kind = AST_ATVAR;
	e->atvar.is_enum = is_enum;
	e->atvar.name = name->kind == AST_STRING ? name->string.text : "";
	if (parser_accept(p, TOK_COMMA))
		e->atvar.module = literal_string(p, "the name of a module, in double quotes");
	parser_close(p, TOK_RPAREN, open);
	p->height = 1;
	return e;
}

static struct ast_expr *parse_one_arg(struct parser *p, struct ast_expr *e, enum ast_expr_kind kind)
{
	const struct token *open = open_args(p);
	struct ast_expr *a = parse_expr(p);

	e->kind = kind;
	if (kind == AST_DEFINED)
		e->defined.a = a;
	else
		e->entry.a = a;
	parser_close(p, TOK_RPAREN, open);
	return e;
}

static struct ast_expr *parse_perf(struct parser *p, struct ast_expr *e)
{
	const struct token *open = open_args(p);
	struct ast_expr *name = literal_string(p, "the name of a counter, in double quotes");

	e->kind = AST_PERF;
	e->perf.name = name->kind == AST_STRING ? name->string.text : "";
	if (name->kind == AST_STRING && !*e->perf.name)
		parser_complain(p, name->span, DIAG_LITERAL_NEEDED, "the name of a counter is empty");
	parser_close(p, TOK_RPAREN, open);
	p->height = 1;
	return e;
}

static struct ast_expr *parse_probewrite(struct parser *p, struct ast_expr *e)
{
	const struct token *open = open_args(p), *name = parser_peek(p);

	e->kind = AST_PROBEWRITE;
	e->probewrite.name = "";
	if (parser_accept(p, TOK_NAME) || parser_accept(p, TOK_TARGET))
		e->probewrite.name = parser_text(p, name);
	else
		parser_expected(p, DIAG_EXPECTED, "the name of a variable");
	parser_close(p, TOK_RPAREN, open);
	p->height = 1;
	return e;
}

// Operators with plain arguments: calls whose name begins with @.
static struct ast_expr *parse_op_call(struct parser *p, struct ast_expr *e, const struct token *name, unsigned min,
				      unsigned max)
{
	const struct token *open = open_args(p);
	unsigned n;

	e->kind = AST_CALL;
	e->call.name = parser_text(p, name);
	e->call.builtin = -1;
	e->call.args = parse_expr_list(p, TOK_RPAREN, open, false);
	n = e->call.args.n;
	if (!p->panic && (n < min || n > max)) {
		parser_error(p, parser_span_from(p, name), DIAG_OPERATOR_ARGS, "%s takes %u argument%s, not %u",
			     e->call.name, n < min ? min : max, (n < min ? min : max) == 1 ? "" : "s", n);
		p->panic = false;
		return poison(e);
	}
	return e;
}

// @const("PAGE_SIZE") is %{ PAGE_SIZE %}.
static struct ast_expr *parse_const(struct parser *p, struct ast_expr *e, const struct token *name)
{
	const struct token *open;
	struct ast_expr *text;

	parse_op_check_embedded(p, name->span, "@const");
	open = open_args(p);
	text = literal_string(p, "a constant of C, in double quotes");
	parser_close(p, TOK_RPAREN, open);
	p->height = 1;
	if (text->kind != AST_STRING)
		return poison(e);
	e->kind = AST_EMBEDDED;
	e->embedded.code = text->string.text;
	e->embedded.span = (struct span){ text->span.file, text->span.off + 1, text->span.len - 2 }; // without its quotes
	return e;
}

static struct ast_expr *parse_kind(struct parser *p, enum op_kind kind, struct ast_expr *e,
				   const struct token *name)
{
	enum ast_stat_op op = STAT_COUNT;

	switch (kind) {
	case OP_COUNT:
	case OP_SUM:
	case OP_MIN:
	case OP_MAX:
	case OP_AVG:
	case OP_VARIANCE:
		parse_op_stat(name, &op);
		return parse_stat(p, e, op);
	case OP_CAST:
		return parse_cast(p, e);
	case OP_CONST:
		return parse_const(p, e, name);
	case OP_DEFINED:
		return parse_one_arg(p, e, AST_DEFINED);
	case OP_ENTRY:
		return parse_one_arg(p, e, AST_ENTRY);
	case OP_ENUM:
		return parse_atvar(p, e, true);
	case OP_ENUMNAME:
		return parse_enum_name(p, e);
	case OP_KDEREF:
	case OP_UDEREF:
		return parse_op_call(p, e, name, 2, 2);
	case OP_KREGISTER:
	case OP_UREGISTER:
		return parse_op_call(p, e, name, 1, 1);
	case OP_PERF:
		return parse_perf(p, e);
	case OP_PROBEWRITE:
		return parse_probewrite(p, e);
	case OP_VAR:
		return parse_atvar(p, e, false);
	case OP_HIST_LINEAR:
	case OP_HIST_LOG:
	case OP_NONE:
		break;
	}
	return poison(e);
}

struct ast_expr *parse_operator(struct parser *p)
{
	const struct token *name = parser_peek(p);
	struct ast_expr *e;

	if (parse_op_is_hist(name)) {
		e = parse_hist(p);
		if (!p->panic && !e->hist.bucket)
			report_hist(p, e);
		return e;
	}
	parser_next(p);
	e = parser_expr(p, AST_ERROR, name->span, name->span);
	e = parse_kind(p, op_kind(name), e, name);
	e->span = parser_span_from(p, name);
	parse_expr_grow(p, 0);
	return e;
}

// ---- print ----

static bool find_print(const struct token *token, enum ast_print_kind *kind_ret, bool *to_string_ret)
{
	for (int i = 0; i < 2 * AST_PRINT_KINDS; i++) {
		*kind_ret = (enum ast_print_kind)(i / 2);
		*to_string_ret = i % 2;
		if (token_is(token, ast_print_name(*kind_ret, *to_string_ret)))
			return true;
	}
	return false;
}

bool parse_op_is_print(const struct token *token)
{
	enum ast_print_kind kind;
	bool to_string;

	return find_print(token, &kind, &to_string);
}

// A value to print; a whole histogram when it stands alone.
static struct ast_expr *parse_print_arg(struct parser *p, bool takes_hist)
{
	size_t start = p->pos;
	unsigned parens = p->parens;
	struct ast_expr *e;

	if (!takes_hist || !parse_op_is_hist(parser_peek(p)))
		return parse_expr(p);
	e = parse_hist(p);
	if (p->panic)
		return e;
	if (!e->hist.bucket && parser_is(p, TOK_RPAREN))
		return e;
	// The histogram does not stand alone: parsed as an expression, it is a bucket (@hist_log(x)[3]), or a mistake.
	p->pos = start;
	p->parens = parens;
	return parse_expr(p);
}

struct ast_expr *parse_print(struct parser *p)
{
	const struct token *name = parser_next(p), *open;
	struct ast_expr *e = parser_expr(p, AST_PRINT, name->span, name->span);
	enum ast_print_kind kind;

	find_print(name, &kind, &e->print.to_string);
	bool takes_hist = kind == PRINT_PLAIN || kind == PRINT_LN;
	bool has_format = kind == PRINT_F || kind == PRINT_D || kind == PRINT_DLN;
	SP_VEC(struct ast_expr *) args = { 0 };
	unsigned height = 0;

	e->print.kind = kind;
	open = open_args(p);
	if (has_format && parser_is(p, TOK_STRING)) {
		e->print.format = parse_string(p);
	} else if (has_format) {
		struct diag *d = parser_expected(p, DIAG_FORMAT_LITERAL, kind == PRINT_F ?
						 "the format, a string literal" : "the delimiter, a string literal");

		if (kind == PRINT_F)
			diag_hint(p->dc, d, "to print any text: printf(\"%%s\", text)");
	}
	if (kind == PRINT_LN && parser_is(p, TOK_RPAREN)) {
		; // an empty line
	} else if (kind != PRINT_F && parser_is(p, TOK_RPAREN)) {
		parser_error(p, parser_peek(p)->span, DIAG_PRINT_EMPTY, "%s needs something to print",
			     ast_print_name(kind, e->print.to_string));
		p->panic = false;
		poison(e);
	} else if (!has_format || parser_accept(p, TOK_COMMA)) {
		do {
			struct ast_expr *arg = parse_print_arg(p, takes_hist && !args.n);

			sp_vec_push(&args, arg);
			height = SP_MAX(height, p->height);
		} while (parser_accept(p, TOK_COMMA));
	}
	if (!p->panic && args.n == 1 && (kind == PRINT_D || kind == PRINT_DLN))
		parser_complain(p, name->span, DIAG_PRINT_EMPTY, "%s puts its delimiter between values, and there is only one",
				ast_print_name(kind, e->print.to_string));
	parser_close_list(p, TOK_RPAREN, open);
	e->span = parser_span_from(p, name);
	if (p->panic)
		poison(e);
	if (e->kind == AST_PRINT) {
		e->print.args.v = sp_arena_memdup(p->arena, args.v, args.n * sizeof(*args.v));
		e->print.args.n = args.n;
	}
	sp_vec_deinit(&args);
	p->height = height;
	parse_expr_grow(p, 0);
	return e;
}
