// SPDX-License-Identifier: GPL-2.0-or-later
/** From bytes to tokens. Macros, conditions and script arguments are tokens here; macro.h replaces them. */
#ifndef SP_FRONT_LEX_H
#define SP_FRONT_LEX_H

#include "compiler/front/diag.h"
#include "compiler/front/source.h"

#include "runtime/base/buf.h"

enum tok_kind {
#define TOK(kind, text) TOK_##kind,
#define TOK_OP(kind, text) TOK_##kind,
#define TOK_KEY(kind, text) TOK_##kind,
#include "token.def"
#undef TOK
#undef TOK_OP
#undef TOK_KEY
};

struct token {
	enum tok_kind kind : 8; // fits a word with the next two and len: large scripts have a million tokens
	bool starts_line; // the first on its line
	bool is_glued; // no blank or comment before it
	uint32_t len; // of `text`
	struct span span; // the place for messages: of a token from a macro's body it is where the macro is used
	struct span body; // of such a token: its place in the body; else SPAN_NONE
	const char *text; // names with $ or @, the decoded string, the code between %{ and %}; not NUL-terminated
	uint64_t number; // NUMBER; ARG_TOKENS, ARG_STRING: which one
};

struct token_list {
	struct token *v;
	size_t n, cap;
};

/** All tokens of a file, the last one TOK_END. Decoded strings live in `arena`, other texts in the source. `dc` NULL: nothing is
 *  reported. A binary file gives one diagnostic and no tokens but TOK_BROKEN and TOK_END. */
void lex_file(struct source_map *sources, uint32_t file, struct sp_arena *arena, struct diag_ctx *dc,
	      struct token_list *ret);
void token_list_deinit(struct token_list *list);

static inline void token_push(struct token_list *list, struct token token)
{
	sp_vec_push(list, token);
}

static inline bool token_is(const struct token *token, const char *text)
{
	return sp_is_word(token->text, token->len, text);
}

bool token_is_keyword(enum tok_kind kind);
/** What messages call a kind: "'('", "number". */
const char *token_kind_text(enum tok_kind kind);
/** What messages call a token: "'('", "name 'x'", "the end of the file". */
void token_describe(const struct token *token, struct sp_buf *out);

/** The tokens as the tests' goldens have them: one a line, "line:column kind text". */
void lex_dump(struct sp_buf *out, const struct token_list *list, struct source_map *sources);

#endif
