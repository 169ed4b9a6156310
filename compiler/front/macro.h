// SPDX-License-Identifier: GPL-2.0-or-later
/** The preprocessor, from tokens to tokens: @define macros, %( conditions %) and script arguments. */
#ifndef SP_FRONT_MACRO_H
#define SP_FRONT_MACRO_H

#include "compiler/front/lex.h"
#include "compiler/front/parse.h"

struct macro {
	const char *name; // without @
	const char **params;
	unsigned n_params;
	bool takes_params; // it is used as @name(...), even when n_params is 0
	const struct token *body;
	size_t n_body;
	struct span span; // of the name in its @define
};

/** Expands the tokens of a file, `in`, into `ret`, which is empty and then ends with TOK_END, too. Tokens of which there is nothing
 *  to expand move: `in` is empty then. Macros that the file defines are known in this file alone. Texts live in `arena` and in the
 *  sources. */
void macro_expand(struct source_map *sources, struct token_list *in, const struct parse_env *env, struct sp_arena *arena,
		  struct diag_ctx *dc, struct token_list *ret);

/** Macros of the library, of which those are known that have been asked for. */
struct macro_library {
	struct sp_hash macros; // name -> struct macro; NULL: there is none of that name
	void (*read)(void *ctx, const char *name); // makes `name` known; NULL: all that there are
	void *ctx;
};

/** Reads a library file of macros (*.stpm) and adds its definitions to `macros` (name -> struct macro, which lives in `arena`). A
 *  macro of the same name from another file is replaced. */
void macro_load(struct source_map *sources, uint32_t file, const struct parse_env *env, struct sp_arena *arena,
		struct diag_ctx *dc, struct sp_hash *macros);

#endif
