// SPDX-License-Identifier: GPL-2.0-or-later
/** The library of scripts: an index from names to files that is cheap to build, and files parsed only when asked for. */
#ifndef SP_FRONT_TAPSET_H
#define SP_FRONT_TAPSET_H

#include "compiler/front/parse.h"

struct tapset;

/** Indexes every *.stp and *.stpm below each directory (a missing directory is skipped; kernel-version and architecture
 *  subfolders as SystemTap orders them, most specific first; later `dirs` win over earlier ones). A file's index is the
 *  global, function and alias names that a quick scan for top-level declarations finds. */
struct sp_err *tapset_open(struct source_map *sources, const char *const *dirs, unsigned n_dirs,
			   const struct parse_env *env, struct diag_ctx *dc, struct tapset **ret);
void tapset_close(struct tapset *tapset);

unsigned tapset_n_files(const struct tapset *tapset);
/** Library macros, for parse_env.macros of the user's script. */
struct sp_hash *tapset_macros(struct tapset *tapset);

/** The units that define a function, a global, or an alias whose first component is `name`; parsed on first use and
 *  owned by the tapset. 0 when there are none. Overloads may be in several files. */
unsigned tapset_find_function(struct tapset *tapset, const char *name, struct unit ***ret);
unsigned tapset_find_global(struct tapset *tapset, const char *name, struct unit ***ret);
unsigned tapset_find_alias(struct tapset *tapset, const char *first_component, struct unit ***ret);

/** Every unit, those that were not needed so far parsed now; the array (not the units) is the caller's to free(). */
unsigned tapset_all(struct tapset *tapset, struct unit ***ret);

/** Every function (or alias first-component) name, for "did you mean" and listing; in no order. */
void tapset_each_function(struct tapset *tapset, void (*fn)(void *ctx, const char *name), void *ctx);
void tapset_each_alias(struct tapset *tapset, void (*fn)(void *ctx, const char *name), void *ctx);

#endif
