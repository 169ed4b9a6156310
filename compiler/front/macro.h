// SPDX-License-Identifier: GPL-2.0-or-later
/** The preprocessor: @define macros, %( conditions %) and script arguments. Tokens to tokens. */
#ifndef SP_FRONT_MACRO_H
#define SP_FRONT_MACRO_H

#include "compiler/front/lex.h"
#include "compiler/front/parse.h"

struct macro {
	const char *name; // without @
	const char **params;
	unsigned n_params;
	bool takes_params; // @name(...) even when n_params is 0
	const struct token *body;
	size_t n_body;
	struct span span; // of the name in its @define
};

/** Expands all of `in` (a lexed file) into `ret`, which ends with TOK_END, too. What is defined on the way is known to this
 *  file only. Texts live in `arena` and in the sources. */
void macro_expand(struct source_map *sources, const struct token_list *in, const struct parse_env *env,
		  struct sp_arena *arena, struct diag_ctx *dc, struct token_list *ret);

/** Reads a library file of macros (*.stpm) and adds its definitions to `macros` (of struct macro, which live in `arena`). A macro
 *  of another file is replaced. */
void macro_load(struct source_map *sources, uint32_t file, const struct parse_env *env, struct sp_arena *arena,
		struct diag_ctx *dc, struct sp_hash *macros);

#endif
