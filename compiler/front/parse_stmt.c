// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/parse_stmt.h"

#include "compiler/front/habit.h"

#include "compiler/front/parse_expr.h"
#include "compiler/front/parse_op.h"
#include "compiler/front/parse_value.h"

static struct ast_stmt *parse_stmt(struct parser *p);

static struct ast_stmt *new_stmt(struct parser *p, enum ast_stmt_kind kind, const struct token *first)
{
	struct ast_stmt *s = sp_arena_new(p->arena, struct ast_stmt);

	s->kind = kind;
	s->span = parser_span_from(p, first);
	return s;
}

// "(CONDITION)" behind a keyword that has been consumed.
static struct ast_expr *parse_condition(struct parser *p)
{
	const struct token *open = parser_peek(p);
	struct ast_expr *e = NULL;

	if (parser_expect(p, TOK_LPAREN)) {
		e = parse_expr(p);
		parser_close(p, TOK_RPAREN, open);
	}
	return e ? e : parser_expr(p, AST_ERROR, open->span, open->span);
}

// The statement behind if (...), while (...) and the like.
static struct ast_stmt *parse_nested(struct parser *p, bool is_loop)
{
	struct ast_stmt *s;

	if (p->panic) {
		parser_sync_head(p);
		if (parser_is(p, TOK_RBRACE) || parser_is(p, TOK_END))
			return new_stmt(p, AST_S_EMPTY, parser_peek(p));
	}
	p->loops += is_loop;
	s = parse_stmt(p);
	p->loops -= is_loop;
	return s;
}

static struct ast_stmt *parse_if(struct parser *p)
{
	const struct token *first = parser_next(p);
	struct ast_expr *cond = parse_condition(p);
	struct ast_stmt *s = new_stmt(p, AST_S_IF, first);

	s->cond.cond = cond;
	s->cond.then = parse_nested(p, false);
	if (p->panic)
		parser_sync_stmt(p, SIZE_MAX);
	if (parser_accept(p, TOK_ELSE))
		s->cond.otherwise = parse_nested(p, false);
	return s;
}

static struct ast_stmt *parse_while(struct parser *p)
{
	const struct token *first = parser_next(p);
	struct ast_expr *cond = parse_condition(p);
	struct ast_stmt *s = new_stmt(p, AST_S_WHILE, first);

	s->loop.cond = cond;
	s->loop.body = parse_nested(p, true);
	return s;
}

static struct ast_stmt *parse_for(struct parser *p)
{
	const struct token *first = parser_next(p), *open = parser_peek(p);
	struct ast_expr *init = NULL, *cond = NULL, *step = NULL;
	struct ast_stmt *s;

	parser_expect(p, TOK_LPAREN);
	if (!parser_is(p, TOK_SEMICOLON))
		init = parse_expr(p);
	parser_expect(p, TOK_SEMICOLON);
	if (!parser_is(p, TOK_SEMICOLON))
		cond = parse_expr(p);
	parser_expect(p, TOK_SEMICOLON);
	if (!parser_is(p, TOK_RPAREN))
		step = parse_expr(p);
	parser_close(p, TOK_RPAREN, open);
	s = new_stmt(p, AST_S_FOR, first);
	s->loop.init = init;
	s->loop.cond = cond;
	s->loop.step = step;
	s->loop.body = parse_nested(p, true);
	return s;
}

// ---- foreach ----

struct foreach_head {
	SP_VEC(struct ast_expr *) keys;
	struct ast_expr *value;
	const char *array;
	struct span array_span;
	struct ast_list slice;
	struct ast_expr *hist, *limit;
	int sort_key, sort_dir;
	bool is_sorted, sort_by_stat;
	enum ast_stat_op sort_stat;
};

static void set_sort(struct parser *p, struct foreach_head *head, int key, const struct token *mark)
{
	if (head->is_sorted) {
		struct diag *d = parser_error(p, mark->span, DIAG_SORT, "only one sort order is possible");

		diag_hint(p->dc, d, "keep one + or -");
		p->panic = false;
		return;
	}
	head->is_sorted = true;
	head->sort_key = key;
	head->sort_dir = mark->kind == TOK_SUB || mark->kind == TOK_SUB_SET ? -1 : 1;
}

static void parse_sort(struct parser *p, struct foreach_head *head, int key)
{
	const struct token *mark = parser_peek(p);

	if (parser_accept(p, TOK_ADD) || parser_accept(p, TOK_SUB))
		set_sort(p, head, key, mark);
}

static struct ast_expr *parse_loop_name(struct parser *p)
{
	const struct token *token = parser_peek(p);
	const char *name = parser_name(p, "the name of a loop variable");
	struct ast_expr *e = parser_expr(p, name ? AST_NAME : AST_ERROR, token->span, token->span);

	e->name.name = name;
	return e;
}

static void check_distinct(struct parser *p, const struct ast_expr *old, const struct ast_expr *key, const char *both)
{
	struct diag *d;

	if (!old || old->kind != AST_NAME || key->kind != AST_NAME || !sp_streq(old->name.name, key->name.name))
		return;
	d = parser_error(p, key->span, DIAG_DUPLICATE, "'%s' stands for %s", key->name.name, both);
	diag_note(p->dc, d, old->span, "the first");
	p->panic = false;
}

static void push_key(struct parser *p, struct foreach_head *head, struct ast_expr *key)
{
	check_distinct(p, head->value, key, "the value and a key");
	for (size_t i = 0; i < head->keys.n; i++)
		check_distinct(p, head->keys.v[i], key, "two keys");
	sp_vec_push(&head->keys, key);
}

static void parse_key_names(struct parser *p, struct foreach_head *head)
{
	const struct token *open = parser_peek(p);

	if (!parser_accept(p, TOK_LBRACKET)) {
		push_key(p, head, parse_loop_name(p));
		parse_sort(p, head, head->keys.n);
		return;
	}
	do {
		push_key(p, head, parse_loop_name(p));
		parse_sort(p, head, head->keys.n);
	} while (parser_accept(p, TOK_COMMA));
	parser_close_list(p, TOK_RBRACKET, open);
}

// "v = [a, b]", "v- = a", "[a, b+]", "a".
static void parse_loop_vars(struct parser *p, struct foreach_head *head)
{
	enum tok_kind second = parser_ahead(p, 1)->kind, third = parser_ahead(p, 2)->kind;
	const struct token *mark;

	if (parser_is(p, TOK_NAME) &&
	    (second == TOK_SET || second == TOK_ADD_SET || second == TOK_SUB_SET ||
	     ((second == TOK_ADD || second == TOK_SUB) && third == TOK_SET))) {
		head->value = parse_loop_name(p);
		parse_sort(p, head, 0);
		mark = parser_next(p);
		if (mark->kind != TOK_SET)
			set_sort(p, head, 0, mark);
	}
	parse_key_names(p, head);
}

static void parse_array_sort(struct parser *p, struct foreach_head *head)
{
	const struct token *op = parser_peek(p);

	if (!p->panic && op->kind == TOK_AT) {
		if (!parse_op_stat(op, &head->sort_stat)) {
			parser_expected(p, DIAG_SORT, "@count, @sum, @min, @max or @avg");
			return;
		}
		parser_next(p);
		if (!parser_is(p, TOK_ADD) && !parser_is(p, TOK_SUB)) {
			parser_expected(p, DIAG_SORT, "+ or - behind the operator to sort by");
			return;
		}
		head->sort_by_stat = true;
	}
	parse_sort(p, head, 0);
}

// foreach over the buckets of a histogram. As in SystemTap + and - are accepted, but the order of buckets is fixed.
static void parse_loop_hist(struct parser *p, struct foreach_head *head)
{
	struct diag *d;

	head->hist = parse_hist(p);
	if (p->panic)
		return;
	if (head->hist->hist.bucket) {
		parser_error(p, head->hist->span, DIAG_HIST_USE, "foreach takes a whole histogram, not one of its buckets");
		return;
	}
	parse_sort(p, head, 0);
	if (head->keys.n != 1)
		parser_error(p, head->keys.v[1]->span, DIAG_HIST_USE, "the buckets of a histogram have one key");
	if (!head->is_sorted)
		return;
	d = parser_complain(p, head->hist->span, DIAG_HIST_ORDER, "the buckets of a histogram are not sorted");
	diag_hint(p->dc, d, "to sort them, count in an array: n[value]++");
}

static void parse_loop_array(struct parser *p, struct foreach_head *head)
{
	const struct token *token = parser_peek(p), *open;

	if (!p->panic && parse_op_is_hist(token)) {
		parse_loop_hist(p, head);
	} else {
		if (!p->panic && token->kind == TOK_LBRACKET)
			diag_hint(p->dc, parser_expected(p, DIAG_EXPECTED, "the name of an array"), "foreach goes over a global array");
		head->array = parser_name(p, "the name of an array");
		head->array_span = token->span;
		open = parser_peek(p);
		if (parser_accept(p, TOK_LBRACKET) && parser_is(p, TOK_RBRACKET))
			parser_expected(p, DIAG_EXPRESSION, "a key");
		else if (parser_prev(p) == open)
			head->slice = parse_expr_list(p, TOK_RBRACKET, open, true);
		parse_array_sort(p, head);
	}
}

static struct ast_stmt *parse_foreach(struct parser *p)
{
	const struct token *first = parser_next(p), *open = parser_peek(p);
	struct foreach_head head = { .sort_key = -1 };
	struct ast_stmt *s;

	parser_expect(p, TOK_LPAREN);
	parse_loop_vars(p, &head);
	parser_expect(p, TOK_IN);
	parse_loop_array(p, &head);
	if (parser_accept(p, TOK_LIMIT))
		head.limit = parse_expr(p);
	parser_close(p, TOK_RPAREN, open);
	s = new_stmt(p, p->panic ? AST_S_EMPTY : AST_S_FOREACH, first);
	s->foreach.keys.v = sp_arena_memdup(p->arena, head.keys.v, head.keys.n * sizeof(*head.keys.v));
	s->foreach.keys.n = head.keys.n;
	s->foreach.value = head.value;
	s->foreach.array = head.array;
	s->foreach.array_span = head.array_span;
	s->foreach.slice = head.slice;
	s->foreach.hist = head.hist;
	s->foreach.sort_key = head.sort_key;
	s->foreach.sort_dir = head.sort_dir;
	s->foreach.sort_by_stat = head.sort_by_stat;
	s->foreach.sort_stat = head.sort_stat;
	s->foreach.limit = head.limit;
	sp_vec_deinit(&head.keys);
	s->foreach.body = parse_nested(p, true);
	return s;
}

// ---- the simple ones ----

// A statement needs no end mark; a semicolon behind it is part of it.
static struct ast_stmt *finish(struct parser *p, struct ast_stmt *s, const struct token *first)
{
	s->span = parser_span_from(p, first);
	parser_accept(p, TOK_SEMICOLON);
	return s;
}

static bool begins_expr(const struct token *token)
{
	enum tok_kind kind = token->kind;

	return kind == TOK_NAME || kind == TOK_NUMBER || kind == TOK_STRING || kind == TOK_TARGET || kind == TOK_AT ||
	       kind == TOK_EMBEDDED || kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_ADD ||
	       kind == TOK_SUB || kind == TOK_NOT || kind == TOK_BITNOT || kind == TOK_INC || kind == TOK_DEC ||
	       kind == TOK_AND;
}

static struct ast_stmt *parse_return(struct parser *p)
{
	const struct token *first = parser_next(p);
	struct ast_stmt *s = new_stmt(p, AST_S_RETURN, first);

	if (begins_expr(parser_peek(p)))
		s->expr = parse_expr(p);
	if (!p->in_function && !p->panic) {
		struct diag *d = parser_error(p, first->span, DIAG_RETURN_OUTSIDE, "return outside of a function");

		diag_hint(p->dc, d, "a probe's handler is left with next");
		p->panic = false;
	}
	return finish(p, s, first);
}

static struct ast_stmt *parse_jump(struct parser *p, enum ast_stmt_kind kind)
{
	const struct token *first = parser_next(p);

	if (kind != AST_S_NEXT && !p->loops) {
		struct diag *d = parser_error(p, first->span, DIAG_LOOP_OUTSIDE, "%s outside of a loop",
					      kind == AST_S_BREAK ? "break" : "continue");

		diag_hint(p->dc, d, p->in_function ? "a function is left with return" :
						     "a probe's handler is left with next");
		p->panic = false;
	}
	return finish(p, new_stmt(p, kind, first), first);
}

static struct ast_stmt *parse_delete(struct parser *p)
{
	const struct token *first = parser_next(p);
	struct ast_stmt *s = new_stmt(p, AST_S_DELETE, first);

	p->allows_star = true;
	s->expr = parse_expr(p);
	p->allows_star = false;
	if (!p->panic && s->expr->kind != AST_NAME && s->expr->kind != AST_INDEX && s->expr->kind != AST_ERROR) {
		parser_error(p, s->expr->span, DIAG_DELETE_OPERAND, "this cannot be deleted");
		s->expr->kind = AST_ERROR;
		p->panic = false;
	}
	return finish(p, s, first);
}

static struct ast_stmt *parse_try(struct parser *p)
{
	const struct token *first = parser_next(p), *open;
	struct ast_stmt *s = new_stmt(p, AST_S_TRY, first);

	s->try_.body = parse_block(p);
	if (!p->panic && !parser_accept(p, TOK_CATCH)) {
		struct diag *d = parser_expected(p, DIAG_CATCH_MISSING, "'catch'");

		diag_note(p->dc, d, first->span, "it belongs to this try");
	}
	open = parser_peek(p);
	if (parser_accept(p, TOK_LPAREN)) {
		s->try_.message = parser_name(p, "the name of a variable for the error's text");
		parser_close(p, TOK_RPAREN, open);
	}
	if (p->panic) {
		s->kind = AST_S_EMPTY;
		return s;
	}
	s->try_.handler = parse_block(p);
	return s;
}

static struct ast_stmt *parse_expr_stmt(struct parser *p)
{
	const struct token *first = parser_peek(p);
	struct ast_expr *e = parse_expr(p);
	struct ast_stmt *s = new_stmt(p, AST_S_EXPR, first);

	s->expr = e;
	if (e->kind == AST_NAME)
		p->hint = habit_word(e->name.name);
	if (!p->panic && parser_peek(p)->kind == TOK_COMMA) {
		struct diag *d = parser_error(p, parser_peek(p)->span, DIAG_COMMA,
					      "statements are not separated by commas");

		diag_hint(p->dc, d, "write ; or nothing");
		p->panic = false;
		parser_next(p);
	}
	return finish(p, s, first);
}

static struct ast_stmt *no_stmt(struct parser *p)
{
	const struct token *token = parser_peek(p);
	struct ast_stmt *s = new_stmt(p, AST_S_EMPTY, token);
	struct sp_buf found = { 0 };
	struct diag *d;

	token_describe(token, &found);
	if (token->kind == TOK_ELSE) {
		d = parser_error(p, token->span, DIAG_ELSE_ALONE, "this else belongs to no if");
		if (p->pos && parser_prev(p)->kind == TOK_SEMICOLON)
			diag_hint(p->dc, d, "remove the ; before it");
	} else if (token->kind == TOK_CATCH) {
		parser_error(p, token->span, DIAG_STATEMENT, "this catch belongs to no try");
	} else if (token_is_keyword(token->kind)) {
		d = parser_error(p, token->span, DIAG_KEYWORD, "%s is a keyword, not a variable",
				 token_kind_text(token->kind));
		if (!d->hint)
			diag_hint(p->dc, d, "variables need another name");
	} else if (token->kind == TOK_RBRACE || token->kind == TOK_END) {
		parser_expected(p, DIAG_STATEMENT, "a statement");
		sp_buf_deinit(&found);
		return s;
	} else {
		parser_error(p, token->span, DIAG_STATEMENT, "no statement begins with %s", sp_buf_str(&found));
	}
	sp_buf_deinit(&found);
	parser_next(p);
	return s;
}

static struct ast_stmt *parse_kind(struct parser *p)
{
	const struct token *first = parser_peek(p);

	if (begins_expr(first))
		return parse_expr_stmt(p);
	if (first->kind == TOK_LBRACE)
		return parse_block(p);
	if (first->kind == TOK_IF)
		return parse_if(p);
	if (first->kind == TOK_WHILE)
		return parse_while(p);
	if (first->kind == TOK_FOR)
		return parse_for(p);
	if (first->kind == TOK_FOREACH)
		return parse_foreach(p);
	if (first->kind == TOK_RETURN)
		return parse_return(p);
	if (first->kind == TOK_DELETE)
		return parse_delete(p);
	if (first->kind == TOK_TRY)
		return parse_try(p);
	if (first->kind == TOK_NEXT)
		return parse_jump(p, AST_S_NEXT);
	if (first->kind == TOK_BREAK)
		return parse_jump(p, AST_S_BREAK);
	if (first->kind == TOK_CONTINUE)
		return parse_jump(p, AST_S_CONTINUE);
	if (first->kind == TOK_SEMICOLON) {
		parser_next(p);
		return new_stmt(p, AST_S_EMPTY, first);
	}
	return no_stmt(p);
}

static struct ast_stmt *parse_stmt(struct parser *p)
{
	struct ast_stmt *s;

	if (!parser_enter(p))
		return new_stmt(p, AST_S_EMPTY, parser_peek(p));
	s = parse_kind(p);
	parser_leave(p);
	return s;
}

static bool is_declaration(const struct token *token)
{
	enum tok_kind next = token->kind == TOK_END ? TOK_END : token[1].kind;

	if (token->kind != TOK_PROBE && token->kind != TOK_FUNCTION && token->kind != TOK_GLOBAL &&
	    token->kind != TOK_PRIVATE)
		return false;
	// Before any other token the word is meant as the name of a variable.
	return next == TOK_NAME || next == TOK_LBRACE || next == TOK_STAR || next == TOK_STARSTAR ||
	       token_is_keyword(next);
}

static void report_declaration(struct parser *p, const struct token *open)
{
	const struct token *token = parser_peek(p);
	struct diag *d = parser_error(p, token->span, DIAG_DECL_IN_BLOCK, "%s inside of a block",
				      token_kind_text(token->kind));

	diag_note(p->dc, d, open->span, "the block that is still open");
	diag_hint(p->dc, d, "a } is missing before it, or it belongs outside");
	p->unwinding = true;
	p->forgiven = p->blocks;
}

static void parse_block_end(struct parser *p, const struct token *open)
{
	if (p->unwinding || p->given_up || parser_accept(p, TOK_RBRACE))
		return;
	parser_error(p, open->span, DIAG_BLOCK_OPEN, "this block is not closed");
	// The blocks around it are not closed, either; one report is enough.
	p->unwinding = true;
}

struct ast_stmt *parse_block(struct parser *p)
{
	const struct token *open = parser_peek(p);
	struct ast_stmt *s = new_stmt(p, AST_S_BLOCK, open);
	SP_VEC(struct ast_stmt *) list = { 0 };

	if (!parser_expect(p, TOK_LBRACE))
		return s;
	p->blocks++;
	while (!p->given_up && !p->unwinding && !parser_is(p, TOK_RBRACE) && !parser_is(p, TOK_END)) {
		size_t start = p->pos;

		if (is_declaration(parser_peek(p))) {
			report_declaration(p, open);
			break;
		}
		sp_vec_push(&list, parse_stmt(p));
		if (!p->panic || p->unwinding)
			continue;
		parser_sync_stmt(p, start);
		// Each round must consume something, or the loop would not end.
		if (p->pos == start && !parser_is(p, TOK_RBRACE) && !is_declaration(parser_peek(p)))
			parser_next(p);
	}
	parse_block_end(p, open);
	p->blocks--;
	s->block.v = sp_arena_memdup(p->arena, list.v, list.n * sizeof(*list.v));
	s->block.n = list.n;
	sp_vec_deinit(&list);
	return s;
}
