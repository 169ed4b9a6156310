// SPDX-License-Identifier: GPL-2.0-or-later
/** The parser's state, shared by the parse_*.c files: a token cursor, error reporting and recovery.
 *
 *  An error makes the parser panic: until the next parser_sync nothing is reported, nothing is consumed by expect, and loops
 *  over lists end. Statements and declarations are where it calms down. */
#ifndef SP_FRONT_PARSER_H
#define SP_FRONT_PARSER_H

#include "compiler/front/ast.h"
#include "compiler/front/lex.h"
#include "compiler/front/parse.h"

/** Of recursion and of the trees that come out, so that all later passes can recurse, too. */
#define PARSER_MAX_DEPTH 1000

struct parser {
	const struct token *v; // the last one is TOK_END
	size_t pos;
	struct diag_ctx *dc;
	const struct parse_env *env;
	struct unit *unit;
	struct sp_arena *arena; // the unit's
	bool has_broken; // text that could not be read at all: what follows from it is not reported
	bool allows_embedded; // guru mode, or a library file
	unsigned n_errors;

	bool panic;
	bool given_up; // too many or too deep: everything ends at once
	unsigned parens; // ( and [ that are open in this statement
	unsigned blocks; // { that are open
	bool unwinding; // a block was reported as unclosed: all that are open end here
	unsigned forgiven; // } that such blocks may still have behind them
	bool end_reported; // that the file ends too early

	unsigned depth; // of recursion now
	unsigned height; // of the expression that was parsed last
	bool in_function;
	unsigned loops; // around this statement
	bool allows_star; // the next array element may be a slice
};

const struct token *parser_peek(const struct parser *p);
/** The k-th token from here; the end token when there are fewer. */
const struct token *parser_ahead(const struct parser *p, size_t k);
const struct token *parser_prev(const struct parser *p);
const struct token *parser_next(struct parser *p);
bool parser_is(const struct parser *p, enum tok_kind kind);
/** Consumes a token of this kind. Never while panicking. */
bool parser_accept(struct parser *p, enum tok_kind kind);
bool parser_expect(struct parser *p, enum tok_kind kind);
/** For closing ) ] }: `open` is the token to show when it is missing. */
bool parser_close(struct parser *p, enum tok_kind kind, const struct token *open);

/** The same behind a list with commas. */
bool parser_close_list(struct parser *p, enum tok_kind kind, const struct token *open);

/** Reports and panics. The result is for notes and hints and never NULL; while panicking it goes nowhere. */
struct diag *parser_error(struct parser *p, struct span span, enum diag_id id, const char *fmt, ...) SP_PRINTF(4, 5);
/** The same for what is wrong but no error of syntax: the parser goes on behind it. */
struct diag *parser_complain(struct parser *p, struct span span, enum diag_id id, const char *fmt, ...) SP_PRINTF(4, 5);
/** "expected WHAT but found TOKEN", at the current token, or behind the one before it when that ends a line. */
struct diag *parser_expected(struct parser *p, enum diag_id id, const char *what);
/** A name that is not a keyword; NULL after a report. */
const char *parser_name(struct parser *p, const char *what);

/** Skips to where a statement may begin; the token at `start` is skipped in any case. */
void parser_sync_stmt(struct parser *p, size_t start);
/** Skips behind the ) of a statement's head, to its body. */
void parser_sync_head(struct parser *p);
/** Skips to where a declaration may begin. */
void parser_sync_top(struct parser *p);

/** Recursion guard: false after a report, then parser_leave is not called. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);
/** Reports and ends the parse. */
void parser_too_deep(struct parser *p);

const char *parser_text(struct parser *p, const struct token *token);
struct span parser_span_from(const struct parser *p, const struct token *first);
struct ast_expr *parser_expr(struct parser *p, enum ast_expr_kind kind, struct span span, struct span op_span);

#endif
