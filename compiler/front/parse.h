// SPDX-License-Identifier: GPL-2.0-or-later
/** From text to a syntax tree.
 *
 *  The problem. The language has macros and conditions that choose between tokens before there is a grammar; its users want to read
 *  all their mistakes at once; and its library has dozens of files, of which a script needs a few.
 *
 *  The idea. Small steps: source.h keeps the texts, lex.h makes tokens, macro.h replaces some of them by others, and the parser, a
 *  recursive descent that is written by hand (parser.h, parse_*.h), makes a struct unit (ast.h) of these. tapset.h finds by a quick
 *  scan which library file declares a name, and parses the file when the name is needed.
 *
 *  The invariants. Every node has a span, so that every later message has a place. A tree is never missing: what cannot be
 *  understood is AST_ERROR, and no later pass reports anything about that. ast.def is the one list of nodes and their fields:
 *  walks, clones, dumps and the verifier follow it.
 *
 *  The limits. Trees are at most PARSER_MAX_DEPTH levels deep, so that all later passes can recurse. */
#ifndef SP_FRONT_PARSE_H
#define SP_FRONT_PARSE_H

#include "compiler/front/ast.h"
#include "compiler/front/diag.h"

#include "runtime/base/hash.h"

struct macro_library;

/** What %( conditions %) and $1 @1 $# see. All texts are borrowed. */
struct parse_env {
	const char *kernel_release; // kernel_vr; kernel_v is its part before '-'. NULL: no kernel is known
	const char *arch; // "x86_64", "arm64", ...
	const char *compat; // systemtap_v; the newest unless --compatible
	/** Value of CONFIG_NAME in the target kernel's configuration: "y", "m", "n", a number or a string, ""
	 *  when it has none; NULL: no configuration is known. */
	const char *(*config)(void *ctx, const char *name);
	void *config_ctx;
	int n_args; // of the script
	const char *const *args; // $1 is args[0]
	bool *args_used; // set for each argument that a file reads; NULL: nobody asks
	bool guru; // -g
	struct macro_library *macros; // of the library (macro.h), or NULL; user macros go on top of them
};

/** Parses a whole file. Never NULL: after errors (`dc` counts them) the unit has what could be understood. */
struct unit *parse_file(struct source_map *sources, uint32_t file, const struct parse_env *env, struct diag_ctx *dc);

#endif
