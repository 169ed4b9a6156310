// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/parse_point.h"

#include "compiler/front/parse_expr.h"
#include "compiler/front/parse_value.h"

#define MAX_PARTS 32
#define MAX_POINTS 10000

struct point_vec {
	SP_VEC(struct ast_point *) v;
};

static void parse_point_list(struct parser *p, struct point_vec *out, bool in_braces);

static bool is_name_part(const struct token *token)
{
	return token->kind == TOK_NAME || token->kind == TOK_STAR || token->kind == TOK_STARSTAR ||
	       token_is_keyword(token->kind);
}

// The argument of a component is a literal: probe points are resolved before anything runs.
static struct ast_expr *parse_point_arg(struct parser *p)
{
	const struct token *token = parser_peek(p);
	struct ast_expr *e;
	struct diag *d;
	int64_t number;

	if (parser_is(p, TOK_STRING))
		return parse_string(p);
	if (parse_number(p, &number)) {
		e = parser_expr(p, AST_NUMBER, parser_span_from(p, token), token->span);
		e->number = number;
		return e;
	}
	e = parser_expr(p, AST_ERROR, token->span, token->span);
	if (token->kind == TOK_RPAREN) {
		d = parser_error(p, token->span, DIAG_POINT_ARG, "the argument between ( and ) is missing");
		p->panic = false;
		return e;
	}
	d = parser_expected(p, DIAG_POINT_ARG, "a number or string literal");
	if (token->kind == TOK_NAME || token_is_keyword(token->kind))
		diag_hint(p->dc, d, "put it into double quotes: (\"%.*s\")", (int)token->len, token->text);
	else if (token->kind == TOK_LBRACE)
		diag_hint(p->dc, d, "alternatives take the place of a component: a.{b(\"x\"),b(\"y\")}");
	return e;
}

// name, na*me, **, with ("argument") or (1). Tokens without blanks between them are one name: vfs_*2.
static bool parse_part(struct parser *p, struct ast_point_part *part)
{
	const struct token *first = parser_peek(p), *open;
	struct sp_buf name = { 0 };

	if (p->panic || !is_name_part(first)) {
		struct diag *d = parser_expected(p, DIAG_POINT_NAME, "the name of a probe point's component");

		if (first->kind == TOK_STRING)
			diag_hint(p->dc, d, "strings stand in parentheses: function(\"...\")");
		return false;
	}
	do {
		const struct token *token = parser_next(p);

		sp_buf_add(&name, token->text, token->len);
	} while (parser_peek(p)->is_glued && (is_name_part(parser_peek(p)) || parser_is(p, TOK_NUMBER)));
	part->name = sp_arena_strndup(p->arena, sp_buf_str(&name), name.len);
	sp_buf_deinit(&name);
	open = parser_peek(p);
	if (parser_accept(p, TOK_LPAREN)) {
		part->arg = parse_point_arg(p);
		parser_close(p, TOK_RPAREN, open);
	}
	part->span = parser_span_from(p, first);
	return !p->panic;
}

static struct ast_point *append_part(struct parser *p, const struct ast_point *head,
				     const struct ast_point_part *parts, unsigned n)
{
	struct ast_point *point = sp_arena_memdup(p->arena, head, sizeof(*head));

	point->parts = sp_arena_array(p->arena, struct ast_point_part, head->n_parts + n);
	if (head->n_parts)
		memcpy(point->parts, head->parts, head->n_parts * sizeof(*parts));
	if (n)
		memcpy(point->parts + head->n_parts, parts, n * sizeof(*parts));
	point->n_parts = head->n_parts + n;
	return point;
}

// Replaces `heads` by each of them with each of `tails` appended.
static void cross(struct parser *p, struct point_vec *heads, const struct point_vec *tails)
{
	struct point_vec all = { 0 };

	if (heads->v.n * tails->v.n > MAX_POINTS) {
		parser_error(p, parser_prev(p)->span, DIAG_POINT_COUNT,
			     "these alternatives make more than %d probe points", MAX_POINTS);
		return;
	}
	for (size_t i = 0; i < heads->v.n; i++) {
		for (size_t k = 0; k < tails->v.n; k++) {
			const struct ast_point *tail = tails->v.v[k];
			struct ast_point *point = append_part(p, heads->v.v[i], tail->parts, tail->n_parts);

			point->optional |= tail->optional;
			point->sufficient |= tail->sufficient;
			sp_vec_push(&all.v, point);
		}
	}
	sp_vec_deinit(&heads->v);
	*heads = all;
}

static void parse_alternatives(struct parser *p, struct point_vec *points)
{
	const struct token *open = parser_next(p);
	struct point_vec inner = { 0 };

	if (parser_enter(p)) {
		parse_point_list(p, &inner, true);
		parser_leave(p);
		parser_close(p, TOK_RBRACE, open);
		if (!p->panic)
			cross(p, points, &inner);
	}
	sp_vec_deinit(&inner.v);
}

// Reports what the condition behind a point may not have: it decides whether the handler runs, so it can only read.
static void check_condition(void *ctx, struct ast_expr **place)
{
	struct parser *p = ctx;
	const struct ast_expr *e = *place;

	if (e->kind == AST_CALL)
		diag_hint(p->dc, parser_complain(p, e->op_span, DIAG_CONDITION, "a probe point's condition cannot call functions"),
			  "the handler can: if (!(...)) next");
	else if (e->kind == AST_ASSIGN || e->kind == AST_INCDEC)
		parser_complain(p, e->op_span, DIAG_CONDITION, "a probe point's condition cannot change variables");
}

// a.{b if (x), c}: a condition is of the whole point, whatever follows the braces.
static void refuse_condition(struct parser *p)
{
	const struct token *token = parser_peek(p);
	struct diag *d;

	if (token->kind != TOK_IF)
		return;
	d = parser_error(p, token->span, DIAG_POINT_NAME, "%s stands behind a whole probe point, not within { }",
			 token_kind_text(token->kind));
	diag_hint(p->dc, d, "put it behind the }, or write the alternatives as points of their own: a.b if (x), a.c");
}

// In braces, as in a.{b?, c}, it is of the points that the alternative makes.
static void parse_suffix(struct parser *p, struct point_vec *points, bool in_braces)
{
	bool optional = parser_accept(p, TOK_QUESTION);
	bool sufficient = !optional && parser_accept(p, TOK_NOT);
	struct ast_expr *condition = NULL;

	if (in_braces)
		refuse_condition(p);
	else if (parser_accept(p, TOK_IF)) {
		const struct token *open = parser_peek(p);

		if (parser_expect(p, TOK_LPAREN)) {
			condition = parse_expr(p);
			ast_walk_expr(&condition, check_condition, p);
			parser_close(p, TOK_RPAREN, open);
		}
	}
	for (size_t i = 0; i < points->v.n; i++) {
		struct ast_point *point = points->v.v[i];

		point->optional |= optional;
		point->sufficient |= sufficient;
		if (condition)
			point->condition = i ? ast_clone_expr(p->arena, condition) : condition;
	}
}

static void parse_point(struct parser *p, struct point_vec *out, bool in_braces)
{
	const struct token *first = parser_peek(p);
	struct ast_point nothing = { 0 };
	struct point_vec points = { 0 };

	if (parser_is(p, TOK_LBRACE) && parser_prev(p)->kind == TOK_COMMA)
		p->hint = "{ behind a comma begins points, as in a, {b,c}.d: no comma stands before the handler";
	sp_vec_push(&points.v, append_part(p, &nothing, NULL, 0));
	do {
		struct ast_point_part part = { 0 };

		if (parser_is(p, TOK_LBRACE))
			parse_alternatives(p, &points);
		else if (parse_part(p, &part))
			for (size_t i = 0; i < points.v.n; i++)
				points.v.v[i] = append_part(p, points.v.v[i], &part, 1);
		if (points.v.v[0]->n_parts > MAX_PARTS && !p->panic)
			parser_error(p, parser_prev(p)->span, DIAG_POINT_NAME,
				     "a probe point has at most %d names joined by dots", MAX_PARTS);
	} while (!p->panic && parser_accept(p, TOK_DOT));
	parse_suffix(p, &points, in_braces);
	for (size_t i = 0; i < points.v.n && !p->panic; i++) {
		points.v.v[i]->span = parser_span_from(p, first);
		sp_vec_push(&out->v, points.v.v[i]);
	}
	if (out->v.n > MAX_POINTS)
		parser_error(p, first->span, DIAG_POINT_COUNT, "more than %d probe points", MAX_POINTS);
	sp_vec_deinit(&points.v);
}

static void parse_point_list(struct parser *p, struct point_vec *out, bool in_braces)
{
	do
		parse_point(p, out, in_braces);
	while (parser_accept(p, TOK_COMMA));
}

struct ast_points parse_points(struct parser *p)
{
	struct point_vec points = { 0 };
	struct ast_points ret = { 0 };

	parse_point_list(p, &points, false);
	ret.v = sp_arena_memdup(p->arena, points.v.v, points.v.n * sizeof(*points.v.v));
	ret.n = points.v.n;
	sp_vec_deinit(&points.v);
	return ret;
}
