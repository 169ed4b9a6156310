// SPDX-License-Identifier: GPL-2.0-or-later
/** From parsed units to a typed program (struct program), in which nothing is left to look up.
 *
 *  The problem: one probe of a script means many places. In `probe kernel.function("vfs_*") { n += $count }` each function
 *  keeps $count elsewhere, or has none, and the script may ask @defined($count) first. Types travel as well: `p = $file`
 *  lets `p->f_flags` be read in a function far away.
 *
 *  The idea: bind resolves a probe's points to sites. Context copies the handler for each site (sema/context.c), and
 *  resolves `$count` in the copy to a type, a location and steps. The copies are full handlers and nothing is shared here:
 *  lower/merge.c lets sites share a program when their code comes out equal. The passes in order:
 *    bind     names to declarations, library units on demand, aliases expanded, points to sites
 *    context  $variables, @cast, @var, @entry, @defined to (type, location) nodes; one handler for each site
 *    infer    types of globals, locals, functions, expressions
 *    check    rules: where builtins may be used, numbers of arguments, what can be assigned, what the engines cannot do
 *    size     capacity of every string
 *    prune    unused functions, globals and code; the warnings about them
 *    share    statements that handlers have in common become functions
 *
 *  The invariant: whether a value can be read is decided by sema/access.c alone, and whether a text can be kept by sema/kept.c.
 *  @defined asks these, and lower/ reads what they have passed, so `@defined(x)` says yes exactly when x compiles. Debug
 *  information is asked here for the last time: sema/layout.c finds all that later passes need to know from it.
 *  program_verify.c checks what each pass promises.
 *
 *  The limits: a type is found for a whole variable, not for each place that uses it, and is never converted. A string has
 *  at most max_string bytes. Handlers that use variables cost time and memory for each site, before sites are merged. */
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
	bool suppress_unused_warnings, suppress_unassigned_warnings;
	bool portable; // members of kernel structures keep their names, see site_step
	bool plain_members; // embedded C may write THIS->x, as before SystemTap 1.8
	bool can_pause; // events may be left out for a while (--max-overhead)
	bool skip_bad_vars; // $variables that cannot be read are 0, with a warning
	bool limits_nesting; // calls may be nested so deep as the user says, those of the compiler, too
	bool takes_units; // the bodies of the script's functions become the program's: its units are bound once
};

/** Never NULL; after errors (dc) it must not be lowered. */
struct program *sema_bind(const struct sema_opts *opts, struct unit *const *units, unsigned n_units);
void sema_context(const struct sema_opts *opts, struct program *program);
void sema_infer(const struct sema_opts *opts, struct program *program);
void sema_check(const struct sema_opts *opts, struct program *program);
void sema_size(const struct sema_opts *opts, struct program *program);
void sema_prune(const struct sema_opts *opts, struct program *program);
void sema_defer(const struct sema_opts *opts, struct program *program);
void sema_share(const struct sema_opts *opts, struct program *program);

#endif
