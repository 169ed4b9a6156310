// SPDX-License-Identifier: GPL-2.0-or-later
/** The state of the parser, which the parse_*.c files share: a cursor over the tokens, reports of errors, and recovery from them.
 *  (parse.h is the interface of the folder.)
 *
 *  An error makes the parser panic: from then on nothing is reported, parser_accept() and parser_expect() consume nothing, and
 *  loops over lists end, until a parser_sync_*() skips to the beginning of a statement or declaration. */
#ifndef SP_FRONT_PARSER_H
#define SP_FRONT_PARSER_H

#include "compiler/front/ast.h"
#include "compiler/front/lex.h"
#include "compiler/front/parse.h"

/** Limits the recursion of the parser and the height of the trees that it makes, so that all later passes can recurse, too. */
#define PARSER_MAX_DEPTH 1000

struct parser {
	const struct token *v; // the last one is TOK_END
	size_t pos;
	struct diag_ctx *dc;
	const struct parse_env *env;
	struct unit *unit;
	struct sp_arena *arena; // the unit's
	bool has_broken; // the lexer or preprocessor has reported an error: that the text ends too early is not reported then
	bool allows_embedded; // guru mode, or a library file
	unsigned n_errors;

	bool panic;
	bool given_up; // after too many errors, or too deep nesting: the cursor is at the end, and the parse ends
	unsigned parens; // ( and [ that are open in this statement
	unsigned blocks; // { that are open
	bool unwinding; // a block was reported as not closed: all open blocks end here
	unsigned forgiven; // how many } may follow on the top level without a report: those of such blocks
	const char *hint; // of what stands before: errors behind it in this declaration may come from it. NULL: none
	bool end_reported; // it has been reported that the file ends too early

	unsigned depth; // of recursion now
	unsigned height; // of the expression that was parsed last
	bool in_function;
	unsigned loops; // around this statement
	bool allows_star; // the indexes of the next array element may be `*`, as in delete
};

const struct token *parser_peek(const struct parser *p);
/** The k-th token from here; the end token when there are fewer. */
const struct token *parser_ahead(const struct parser *p, size_t k);
const struct token *parser_prev(const struct parser *p);
const struct token *parser_next(struct parser *p);
bool parser_is(const struct parser *p, enum tok_kind kind);
/** Consumes the next token when it is of this kind; never while panicking. False: it did not. */
bool parser_accept(struct parser *p, enum tok_kind kind);
/** The same; reports when the token is of another kind. */
bool parser_expect(struct parser *p, enum tok_kind kind);
/** The same for a closing ) ] or }: when it is missing, a note shows `open`. */
bool parser_close(struct parser *p, enum tok_kind kind, const struct token *open);
/** The same behind a list with commas: "',' or ')'" is expected. */
bool parser_close_list(struct parser *p, enum tok_kind kind, const struct token *open);

/** Reports, and panics. The result takes notes and hints, and is never NULL; while panicking nobody will see it. */
struct diag *parser_error(struct parser *p, struct span span, enum diag_id id, const char *fmt, ...) SP_PRINTF(4, 5);
/** Reports what is wrong although the syntax is right: the parser does not panic. */
struct diag *parser_complain(struct parser *p, struct span span, enum diag_id id, const char *fmt, ...) SP_PRINTF(4, 5);
/** Reports "expected WHAT but found TOKEN", at the current token; when that begins a line, behind the token before it. */
struct diag *parser_expected(struct parser *p, enum diag_id id, const char *what);
/** Consumes a name that is no keyword; NULL after a report, which calls it `what`. */
const char *parser_name(struct parser *p, const char *what);

/** Skips to where a statement may begin, and calms down. The token at `start`, where the broken statement began, is skipped in any
 *  case. */
void parser_sync_stmt(struct parser *p, size_t start);
/** Skips the rest of "(...)" behind if, while and the like, to the statement's body, and calms down. */
void parser_sync_head(struct parser *p);
/** Skips to where a declaration may begin, and calms down. */
void parser_sync_top(struct parser *p);

/** Guards a recursion: false, after a report, when it is too deep; then parser_leave() must not be called. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);
/** Reports that something is nested too deeply, and ends the parse. */
void parser_too_deep(struct parser *p);

const char *parser_text(struct parser *p, const struct token *token);
/** What is between %{ and %}. */
struct span parser_code_span(const struct token *token);
struct span parser_span_from(const struct parser *p, const struct token *first);
struct ast_expr *parser_expr(struct parser *p, enum ast_expr_kind kind, struct span span, struct span op_span);

#endif
