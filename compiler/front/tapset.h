// SPDX-License-Identifier: GPL-2.0-or-later
/** The library of scripts (SystemTap calls it tapsets).
 *
 *  The problem. It has dozens of files, of which a script needs one or two, or none. To parse all of them for each script would take
 *  longer than all the rest of parsing.
 *
 *  The idea. Three steps, each for fewer files: of every file a filter of the words in it is made; when a name is asked for, the
 *  files that may have the word are scanned for what they declare; the files that declare the name are parsed.
 *
 *  The invariant. The order of files, and so that of overloads, does not depend on the file system. A file is parsed once.
 *
 *  The limits. The scan sees tokens before the preprocessor: a name that a macro makes up is not found. */
#ifndef SP_FRONT_TAPSET_H
#define SP_FRONT_TAPSET_H

#include "compiler/front/parse.h"

struct tapset;

/** Reads the names of all *.stp and *.stpm files below each folder; a missing folder is skipped. Of files with one name in folders
 *  for kernel versions and architectures, the most specific that fits the target is used, as in SystemTap; files of later `dirs`
 *  win over those of earlier ones. Where library.index in one of the folders (tapsets/index.awk makes it) lists a file that has
 *  not changed since, the names are found there and the file is not read. */
struct sp_err *tapset_open(struct source_map *sources, const char *const *dirs, unsigned n_dirs,
			   const struct parse_env *env, struct diag_ctx *dc, struct tapset **ret);
void tapset_close(struct tapset *tapset);

unsigned tapset_n_files(const struct tapset *tapset);
/** Library macros, for parse_env.macros of the user's script. */
struct macro_library *tapset_macros(struct tapset *tapset);

/** The units that define a function, a global, or an alias whose first two components are `first` and `second` (NULL, or with a
 *  wildcard: any; an alias of one component is found, too). Returns how many: overloads may be in several files. They are parsed
 *  when they are first asked for, and belong to the tapset. */
unsigned tapset_find_function(struct tapset *tapset, const char *name, struct unit ***ret);
unsigned tapset_find_global(struct tapset *tapset, const char *name, struct unit ***ret);
unsigned tapset_find_alias(struct tapset *tapset, const char *first, const char *second, struct unit ***ret);

/** All units; those that were not needed so far are parsed now. The array, not the units, is to be freed. */
unsigned tapset_all(struct tapset *tapset, struct unit ***ret);

/** Calls `fn` with the name of every function, or with the first component of every alias, in no order: for "did you mean" and
 *  completion. */
void tapset_each_function(struct tapset *tapset, void (*fn)(void *ctx, const char *name), void *ctx);
void tapset_each_alias(struct tapset *tapset, void (*fn)(void *ctx, const char *name), void *ctx);

#endif
