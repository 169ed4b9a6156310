// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/parse_value.h"

#include "compiler/front/parse_expr.h"
#include "compiler/front/parse_op.h"

struct ast_expr *parse_value_error(struct parser *p)
{
	struct span span = parser_peek(p)->span;

	p->height = 1;
	return parser_expr(p, AST_ERROR, span, span);
}

struct ast_expr *parse_string(struct parser *p)
{
	const struct token *first = parser_peek(p);
	struct sp_buf text = { 0 };
	struct ast_expr *e;

	while (parser_is(p, TOK_STRING)) {
		const struct token *token = parser_next(p);

		sp_buf_add(&text, token->text, token->len);
	}
	e = parser_expr(p, AST_STRING, parser_span_from(p, first), first->span);
	e->string.text = sp_arena_strndup(p->arena, sp_buf_str(&text), text.len);
	e->string.len = text.len;
	sp_buf_deinit(&text);
	p->height = 1;
	return e;
}

bool parse_number(struct parser *p, int64_t *ret)
{
	bool minus = parser_is(p, TOK_SUB) && parser_ahead(p, 1)->kind == TOK_NUMBER;

	if (!minus && !parser_is(p, TOK_NUMBER))
		return false;
	if (minus)
		parser_next(p);
	*ret = minus ? -parser_next(p)->number : parser_next(p)->number;
	return true;
}

static struct ast_expr *parse_element(struct parser *p, bool stars)
{
	const struct token *token = parser_peek(p);
	enum tok_kind after = parser_ahead(p, 1)->kind;

	if (token->kind != TOK_STAR || (after != TOK_COMMA && after != TOK_RBRACKET))
		return parse_expr(p);
	if (!stars) {
		struct diag *d = parser_error(p, token->span, DIAG_SLICE, "'*' cannot be a key here");

		diag_hint(p->dc, d, "slices are for delete, foreach and `in`");
		return parse_value_error(p);
	}
	parser_next(p);
	p->height = 1;
	return NULL;
}

struct ast_list parse_expr_list(struct parser *p, enum tok_kind end, const struct token *open, bool stars)
{
	SP_VEC(struct ast_expr *) list = { 0 };
	struct ast_list ret = { 0 };
	unsigned height = 0;

	if (!parser_accept(p, end)) {
		do {
			struct ast_expr *e = parse_element(p, stars);

			sp_vec_push(&list, e);
			height = SP_MAX(height, p->height);
		} while (parser_accept(p, TOK_COMMA));
		parser_close_list(p, end, open);
	}
	ret.v = sp_arena_memdup(p->arena, list.v, list.n * sizeof(*list.v));
	ret.n = list.n;
	sp_vec_deinit(&list);
	p->height = height;
	return ret;
}

// ---- steps ----

// How many $ the text ends with: the pretty-printing tail of $x$ and $x$$.
static unsigned count_tail(const char *text, size_t len)
{
	unsigned n = 0;

	while (n < len && text[len - 1 - n] == '$')
		n++;
	return n;
}

struct step_list {
	SP_VEC(struct ast_step) v;
	bool done; // a pretty-printing tail was read, behind which no step can follow
};

static void push_pretty(struct step_list *steps, unsigned dollars, struct span span)
{
	struct ast_step step = { .kind = dollars == 1 ? STEP_PRETTY : STEP_PRETTY_DEEP, .span = span };

	sp_vec_push(&steps->v, step);
	steps->done = true;
}

static bool is_dollars(const struct token *token)
{
	return token->kind == TOK_TARGET && token->len <= 2 && count_tail(token->text, token->len) == token->len;
}

static void parse_member(struct parser *p, struct step_list *steps)
{
	const struct token *token = parser_peek(p);
	unsigned tail = count_tail(token->text, token->len);
	struct ast_step step = { .kind = STEP_MEMBER, .span = token->span };

	if (is_dollars(token)) {
		parser_next(p);
		push_pretty(steps, token->len, token->span);
		return;
	}
	if ((token->kind != TOK_NAME && !token_is_keyword(token->kind)) || tail > 2 ||
	    memchr(token->text, '$', token->len - tail)) {
		parser_expected(p, DIAG_MEMBER, "a member's name behind '->'");
		return;
	}
	parser_next(p);
	step.name = sp_arena_strndup(p->arena, token->text, token->len - tail);
	sp_vec_push(&steps->v, step);
	if (tail)
		push_pretty(steps, tail, token->span);
}

static void parse_index_step(struct parser *p, struct step_list *steps)
{
	const struct token *open = parser_next(p);
	struct ast_step step = { .kind = STEP_INDEX };

	step.index = parse_expr(p);
	parser_close(p, TOK_RBRACKET, open);
	step.span = parser_span_from(p, open);
	sp_vec_push(&steps->v, step);
}

// Parses the -> and [] steps. `typed`: they are behind $x, @cast or @var, where $ and $$ may stand without a step, too.
static void parse_steps(struct parser *p, bool typed, struct step_list *steps)
{
	unsigned height = p->height;

	while (!p->panic && !steps->done) {
		const struct token *token = parser_peek(p);

		if (parser_is(p, TOK_LBRACKET))
			parse_index_step(p, steps);
		else if (parser_accept(p, TOK_ARROW))
			parse_member(p, steps);
		else if ((typed || steps->v.n) && is_dollars(token) && !token->starts_line)
			push_pretty(steps, parser_next(p)->len, token->span);
		else
			break;
		height = SP_MAX(height, p->height);
	}
	p->height = height;
}

static struct ast_steps take_steps(struct parser *p, struct step_list *steps)
{
	struct ast_steps ret = { .n = steps->v.n };

	ret.v = sp_arena_memdup(p->arena, steps->v.v, steps->v.n * sizeof(*steps->v.v));
	sp_vec_deinit(&steps->v);
	return ret;
}

// ---- primaries ----

static struct ast_expr *parse_target(struct parser *p)
{
	const struct token *token = parser_next(p);
	unsigned tail = count_tail(token->text, token->len);
	struct ast_expr *e = parser_expr(p, AST_TARGET, token->span, token->span);
	struct step_list steps = { 0 };

	p->height = 1;
	if (tail == token->len || tail > 2) {
		parser_error(p, token->span, DIAG_EXPRESSION, "'%.*s' is not the name of a target variable",
			     (int)SP_MIN(token->len, 40u), token->text);
		e->kind = AST_ERROR;
		return e;
	}
	e->target.name = sp_arena_strndup(p->arena, token->text, token->len - tail);
	if (tail)
		push_pretty(&steps, tail, token->span);
	parse_steps(p, true, &steps);
	e->target.steps = take_steps(p, &steps);
	e->span = parser_span_from(p, token);
	parse_expr_grow(p, 0);
	return e;
}

static struct ast_expr *parse_named(struct parser *p)
{
	const struct token *name = parser_next(p), *open = parser_peek(p);
	bool stars = p->allows_star;
	struct ast_expr *e = parser_expr(p, AST_NAME, name->span, name->span);

	p->allows_star = false;
	p->height = 1;
	if (parser_accept(p, TOK_LPAREN)) {
		e->kind = AST_CALL;
		e->call.name = parser_text(p, name);
		e->call.builtin = -1;
		e->call.args = parse_expr_list(p, TOK_RPAREN, open, false);
	} else if (parser_accept(p, TOK_LBRACKET)) {
		e->kind = AST_INDEX;
		e->index.name = parser_text(p, name);
		if (parser_is(p, TOK_RBRACKET))
			parser_expected(p, DIAG_EXPRESSION, "a key");
		e->index.keys = parse_expr_list(p, TOK_RBRACKET, open, stars);
	} else {
		e->name.name = parser_text(p, name);
		return e;
	}
	e->span = parser_span_from(p, name);
	parse_expr_grow(p, 0);
	return e;
}

static struct ast_expr *parse_parens(struct parser *p)
{
	const struct token *open = parser_next(p);
	struct ast_expr *e = parse_expr(p);

	parser_close(p, TOK_RPAREN, open);
	e->span = parser_span_from(p, open);
	return e;
}

static struct ast_expr *parse_literal(struct parser *p)
{
	const struct token *token = parser_next(p);
	struct ast_expr *e = parser_expr(p, AST_NUMBER, token->span, token->span);

	e->number = token->number;
	p->height = 1;
	return e;
}

static struct ast_expr *parse_code(struct parser *p)
{
	const struct token *token = parser_next(p);
	struct ast_expr *e = parser_expr(p, AST_EMBEDDED, token->span, token->span);

	e->embedded.code = parser_text(p, token);
	e->embedded.span = parser_code_span(token);
	p->height = 1;
	parse_op_check_embedded(p, token->span, "embedded code");
	return e;
}

static struct ast_expr *no_expr(struct parser *p)
{
	const struct token *token = parser_peek(p);
	struct diag *d;

	if (token_is_keyword(token->kind)) {
		d = parser_error(p, token->span, DIAG_KEYWORD, "%s is a keyword, not a value",
				 token_kind_text(token->kind));
		if (token->kind == TOK_STRING_TYPE && parser_ahead(p, 1)->kind == TOK_LPAREN)
			diag_hint(p->dc, d, "the text of a number is sprint(x)");
		else if (token->kind == TOK_STRING_TYPE || token->kind == TOK_LONG_TYPE || token->kind == TOK_LIMIT)
			diag_hint(p->dc, d, "variables need another name");
		return parse_value_error(p);
	}
	d = parser_expected(p, DIAG_EXPRESSION, "a value");
	if (token->kind == TOK_STAR || token->kind == TOK_STARSTAR)
		diag_hint(p->dc, d, "read memory with -> and [], or kernel_long(pointer), user_int(pointer) and the like");
	return parse_value_error(p);
}

static struct ast_expr *parse_primary(struct parser *p)
{
	enum tok_kind kind = parser_peek(p)->kind;

	if (p->panic)
		return parse_value_error(p);
	if (kind != TOK_NAME)
		p->allows_star = false;
	if (kind == TOK_NAME)
		return parse_op_is_print(parser_peek(p)) ? parse_print(p) : parse_named(p);
	if (kind == TOK_NUMBER)
		return parse_literal(p);
	if (kind == TOK_STRING)
		return parse_string(p);
	if (kind == TOK_TARGET)
		return parse_target(p);
	if (kind == TOK_LPAREN)
		return parse_parens(p);
	if (kind == TOK_AT)
		return parse_operator(p);
	if (kind == TOK_EMBEDDED)
		return parse_code(p);
	return no_expr(p);
}

// A primary with -> and [] behind it.
struct ast_expr *parse_value(struct parser *p)
{
	const struct token *first = parser_peek(p);
	bool is_parens = first->kind == TOK_LPAREN;
	struct ast_expr *e = parse_primary(p), *outer;
	bool typed = !is_parens && (e->kind == AST_CAST || e->kind == AST_ATVAR);
	struct step_list steps = { 0 };

	// parse_target() has parsed the steps of a target variable.
	if (p->panic || (e->kind == AST_TARGET && !is_parens))
		return e;
	parse_steps(p, typed, &steps);
	if (!steps.v.n)
		return e;
	if (typed) {
		struct ast_steps taken = take_steps(p, &steps);

		if (e->kind == AST_CAST)
			e->cast.steps = taken;
		else
			e->atvar.steps = taken;
		outer = e;
	} else {
		outer = parser_expr(p, AST_TARGET, e->span, e->op_span);
		outer->target.base = e;
		outer->op_span = steps.v.v[0].span;
		outer->target.steps = take_steps(p, &steps);
	}
	outer->span = parser_span_from(p, first);
	parse_expr_grow(p, 0);
	return outer;
}
