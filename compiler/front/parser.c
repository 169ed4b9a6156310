// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/parser.h"

#include "compiler/front/habit.h"

#include <stdarg.h>

#define MAX_ERRORS 20

const struct token *parser_peek(const struct parser *p)
{
	return &p->v[p->pos];
}

const struct token *parser_ahead(const struct parser *p, size_t k)
{
	const struct token *token = parser_peek(p);

	while (k-- && token->kind != TOK_END)
		token++;
	return token;
}

const struct token *parser_prev(const struct parser *p)
{
	return &p->v[p->pos ? p->pos - 1 : 0];
}

const struct token *parser_next(struct parser *p)
{
	const struct token *token = parser_peek(p);

	if (token->kind == TOK_LPAREN || token->kind == TOK_LBRACKET)
		p->parens++;
	else if ((token->kind == TOK_RPAREN || token->kind == TOK_RBRACKET) && p->parens)
		p->parens--;
	if (token->kind != TOK_END)
		p->pos++;
	return token;
}

bool parser_is(const struct parser *p, enum tok_kind kind)
{
	return !p->panic && parser_peek(p)->kind == kind;
}

bool parser_accept(struct parser *p, enum tok_kind kind)
{
	if (!parser_is(p, kind))
		return false;
	parser_next(p);
	return true;
}

static void give_up(struct parser *p)
{
	p->given_up = true;
	while (parser_peek(p)->kind != TOK_END)
		p->pos++;
}

static struct diag *report(struct parser *p, struct span span, enum diag_id id, const char *fmt, va_list args)
{
	struct sp_buf text = { 0 };
	struct diag *d;

	sp_buf_vprintf(&text, fmt, args);
	d = diag(p->dc, span, id, "%s", sp_buf_str(&text));
	sp_buf_deinit(&text);
	if (++p->n_errors >= MAX_ERRORS) {
		diag(p->dc, span, DIAG_TOO_MANY, "too many errors in this file: the rest is not checked");
		give_up(p);
	}
	return d;
}

// A word of another language at the error, right before it, or where a statement stood: `int x`, `a and b`, `do { } while (x)`.
static const char *hint_of_word(struct parser *p)
{
	for (size_t i = p->pos + 1; i-- > 0 && i + 2 > p->pos;) {
		const struct token *token = &p->v[i];
		bool is_type = (token->kind == TOK_LONG_TYPE || token->kind == TOK_STRING_TYPE) && token[1].kind == TOK_NAME;
		const char *hint = is_type || token->kind == TOK_NAME ? habit_word(parser_text(p, token)) : NULL;

		if (hint)
			return hint;
	}
	return p->hint;
}

struct diag *parser_error(struct parser *p, struct span span, enum diag_id id, const char *fmt, ...)
{
	const struct token *token = parser_peek(p);
	struct diag *d;
	va_list args;

	// The lexer or preprocessor has reported a TOK_BROKEN; what follows from that is not reported again.
	if (p->panic || p->given_up || token->kind == TOK_BROKEN ||
	    (token->kind == TOK_END && (p->has_broken || p->end_reported))) {
		p->panic = true;
		return sp_arena_new(&p->dc->arena, struct diag);
	}
	p->panic = true;
	p->end_reported = token->kind == TOK_END;
	va_start(args, fmt);
	d = report(p, span, id, fmt, args);
	va_end(args);
	d->hint = hint_of_word(p);
	if (token->body.file && token->span.off == span.off)
		diag_note(p->dc, d, token->body, "the text comes from here");
	return d;
}

struct diag *parser_complain(struct parser *p, struct span span, enum diag_id id, const char *fmt, ...)
{
	struct diag *d;
	va_list args;

	if (p->given_up)
		return sp_arena_new(&p->dc->arena, struct diag);
	va_start(args, fmt);
	d = report(p, span, id, fmt, args);
	va_end(args);
	return d;
}

static struct span missing_span(const struct parser *p)
{
	const struct token *token = parser_peek(p), *prev = parser_prev(p);

	if ((token->starts_line || token->kind == TOK_END) && p->pos && prev->span.file == token->span.file)
		return (struct span){ prev->span.file, prev->span.off + prev->span.len, 0 };
	return token->span;
}

struct diag *parser_expected(struct parser *p, enum diag_id id, const char *what)
{
	struct span span = missing_span(p);
	struct sp_buf found = { 0 };
	struct diag *d;

	if (parser_peek(p)->kind == TOK_END)
		return parser_error(p, span, id, "expected %s but the file ends", what);
	if (span.len == 0)
		return parser_error(p, span, id, "expected %s at the end of this line", what);
	token_describe(parser_peek(p), &found);
	d = parser_error(p, span, id, "expected %s but found %s", what, sp_buf_str(&found));
	sp_buf_deinit(&found);
	return d;
}

bool parser_expect(struct parser *p, enum tok_kind kind)
{
	struct diag *d;

	if (parser_accept(p, kind))
		return true;
	d = parser_expected(p, DIAG_EXPECTED, token_kind_text(kind));
	if (kind == TOK_LPAREN && p->pos && !d->hint)
		diag_hint(p->dc, d, "%s takes parentheses: %s (...)", parser_text(p, parser_prev(p)), parser_text(p, parser_prev(p)));
	return false;
}

static bool close_bracket(struct parser *p, enum tok_kind kind, const struct token *open, const char *expected)
{
	struct diag *d;

	if (parser_accept(p, kind))
		return true;
	d = parser_expected(p, kind == TOK_RBRACE ? DIAG_EXPECTED : DIAG_PAREN_OPEN, expected);
	diag_note(p->dc, d, open->span, "the %s that is open", token_kind_text(open->kind));
	// Most likely the bracket was forgotten at the end of the line, and a new statement follows.
	if (parser_peek(p)->starts_line)
		p->parens = 0;
	return false;
}

bool parser_close(struct parser *p, enum tok_kind kind, const struct token *open)
{
	return close_bracket(p, kind, open, token_kind_text(kind));
}

bool parser_close_list(struct parser *p, enum tok_kind kind, const struct token *open)
{
	return close_bracket(p, kind, open, kind == TOK_RPAREN ? "',' or ')'" : "',' or ']'");
}

const char *parser_name(struct parser *p, const char *what)
{
	const struct token *token = parser_peek(p);

	if (parser_accept(p, TOK_NAME))
		return parser_text(p, token);
	if (!token_is_keyword(token->kind)) {
		parser_expected(p, DIAG_EXPECTED, what);
	} else {
		struct diag *d = parser_error(p, token->span, DIAG_KEYWORD, "%s is a keyword and cannot be %s",
					      token_kind_text(token->kind), what);

		if (!d->hint)
			diag_hint(p->dc, d, "take another name, for example %.*s_", (int)token->len, token->text);
	}
	return NULL;
}

static bool begins_declaration(enum tok_kind kind)
{
	return kind == TOK_PROBE || kind == TOK_GLOBAL || kind == TOK_FUNCTION || kind == TOK_PRIVATE;
}

static bool begins_statement(enum tok_kind kind)
{
	return kind == TOK_IF || kind == TOK_WHILE || kind == TOK_FOR || kind == TOK_FOREACH ||
	       kind == TOK_RETURN || kind == TOK_DELETE || kind == TOK_NEXT || kind == TOK_BREAK ||
	       kind == TOK_CONTINUE || kind == TOK_TRY;
}

void parser_sync_stmt(struct parser *p, size_t start)
{
	for (bool first = p->pos == start; !p->given_up; first = false) {
		const struct token *token = parser_peek(p);

		if (token->kind == TOK_END || token->kind == TOK_LBRACE || token->kind == TOK_RBRACE)
			break;
		if (begins_statement(token->kind) || (begins_declaration(token->kind) && token->starts_line))
			break;
		if (!first && token->starts_line && p->parens == 0)
			break;
		parser_next(p);
		if (token->kind == TOK_SEMICOLON)
			break;
	}
	p->parens = 0;
	p->panic = false;
}

void parser_sync_head(struct parser *p)
{
	while (!p->given_up) {
		const struct token *token = parser_peek(p);

		if (token->kind == TOK_END || token->kind == TOK_LBRACE || token->kind == TOK_RBRACE ||
		    token->starts_line)
			break;
		parser_next(p);
		if (token->kind == TOK_RPAREN && p->parens == 0)
			break;
	}
	p->parens = 0;
	p->panic = false;
}

void parser_sync_top(struct parser *p)
{
	unsigned depth = 0;

	for (; !p->given_up && parser_peek(p)->kind != TOK_END; parser_next(p)) {
		const struct token *token = parser_peek(p);

		if (begins_declaration(token->kind) && (depth == 0 || token->starts_line))
			break;
		if (token->kind == TOK_LBRACE)
			depth++;
		else if (token->kind == TOK_RBRACE && depth)
			depth--;
		else if (token->kind == TOK_EMBEDDED && depth == 0 && token->starts_line)
			break;
	}
	p->parens = 0;
	p->panic = false;
}

void parser_too_deep(struct parser *p)
{
	struct diag *d = parser_error(p, parser_peek(p)->span, DIAG_TOO_DEEP, "nested more than %d levels deep",
				      PARSER_MAX_DEPTH);

	diag_hint(p->dc, d, "use variables or functions for the inner parts");
	give_up(p);
}

bool parser_enter(struct parser *p)
{
	if (p->given_up)
		return false;
	if (p->depth >= PARSER_MAX_DEPTH) {
		parser_too_deep(p);
		return false;
	}
	p->depth++;
	return true;
}

void parser_leave(struct parser *p)
{
	p->depth--;
}

const char *parser_text(struct parser *p, const struct token *token)
{
	return sp_arena_strndup(p->arena, token->text, token->len);
}

struct span parser_span_from(const struct parser *p, const struct token *first)
{
	return span_join(first->span, parser_prev(p)->span);
}

struct span parser_code_span(const struct token *token)
{
	const uint32_t mark = strlen("%{"), marks = strlen("%{%}");
	struct span span = token->span;

	return (struct span){ span.file, span.off + mark, span.len > marks ? span.len - marks : 0 };
}

struct ast_expr *parser_expr(struct parser *p, enum ast_expr_kind kind, struct span span, struct span op_span)
{
	struct ast_expr *e = sp_arena_new(p->arena, struct ast_expr);

	e->kind = kind;
	e->span = span;
	e->op_span = op_span;
	return e;
}
