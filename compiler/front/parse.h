// SPDX-License-Identifier: GPL-2.0-or-later
/** Tokens to syntax tree: recursive descent with recovery, so that one run reports many errors. */
#ifndef SP_FRONT_PARSE_H
#define SP_FRONT_PARSE_H

#include "compiler/front/ast.h"
#include "compiler/front/diag.h"

#include "runtime/base/hash.h"

/** The SystemTap whose language this is. */
#define NEWEST_SYSTEMTAP "5.6"

/** What %( conditions %) and $1 @1 $# see. All texts are borrowed. */
struct parse_env {
	const char *kernel_release; // kernel_vr; kernel_v is its part before '-'. NULL: no kernel is known
	const char *arch; // "x86_64", "arm64", ...
	const char *compat; // systemtap_v; the newest unless --compatible
	/** Value of CONFIG_NAME in the target kernel's configuration: "y", "m", "n", a number or a string; NULL: unknown. */
	const char *(*config)(void *ctx, const char *name);
	void *config_ctx;
	int n_args; // of the script
	const char *const *args; // $1 is args[0]
	bool *args_used; // set for those that a file takes; NULL: nobody asks
	bool guru; // -g
	struct sp_hash *macros; // library macros by name (struct macro *), or NULL; user macros go on top of them
};

/** Parses a whole file. Never NULL: after errors (count in `dc`) it holds what could be understood. */
struct unit *parse_file(struct source_map *sources, uint32_t file, const struct parse_env *env, struct diag_ctx *dc);

#endif
