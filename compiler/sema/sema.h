// SPDX-License-Identifier: GPL-2.0-or-later
/** Names, context, types and rules: units to a fully typed program. The passes in order:
 *    bind     names to declarations, library units on demand, aliases expanded, points resolved to sites
 *    context  $variables, @cast, @var, @entry, @defined to (type, location) nodes; one handler a site shape
 *    infer    types of globals, locals, functions, expressions
 *    check    rules: context of builtins, arity, assignability, what the engines cannot do
 *    size     capacity of every string
 *    prune    unused functions, globals, code; the warnings about them */
#ifndef SP_SEMA_SEMA_H
#define SP_SEMA_SEMA_H

#include "compiler/front/tapset.h"
#include "compiler/sema/program.h"

struct sema_opts {
	struct source_map *sources;
	struct diag_ctx *dc;
	struct point_env *env;
	struct tapset *tapset; // NULL: no library
	const char *const *globals; // "NAME=VALUE", NULL-terminated: what is given a value from outside; NULL: none
	uint32_t max_string; // MAXSTRINGLEN, bytes with NUL; 512
	bool guru;
	bool unoptimized; // -u: prune does nothing but warn
	bool suppress_unused_warnings;
	bool portable; // members of kernel structures keep their names, see site_step
	bool plain_members; // embedded C may write THIS->x, as before SystemTap 1.8
	bool skip_bad_vars; // $variables that cannot be read are 0, with a warning
};

/** Never NULL; after errors (dc) it must not be lowered. */
struct program *sema_bind(const struct sema_opts *opts, struct unit *const *units, unsigned n_units);
void sema_context(const struct sema_opts *opts, struct program *program);
void sema_infer(const struct sema_opts *opts, struct program *program);
void sema_check(const struct sema_opts *opts, struct program *program);
void sema_size(const struct sema_opts *opts, struct program *program);
void sema_prune(const struct sema_opts *opts, struct program *program);

#endif
