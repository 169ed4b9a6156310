// SPDX-License-Identifier: GPL-2.0-or-later
/** What several families share: arguments, resolved texts, function sites and their variables. */
#ifndef SP_PROBE_POINT_UTIL_H
#define SP_PROBE_POINT_UTIL_H

#include "compiler/probe/point.h"

/** The component of that name, NULL when the point has none. */
const struct ast_point_part *point_part(const struct ast_point *point, const char *name);
/** A new site in the environment's arena, appended. */
struct site *point_add_site(struct point_env *env, const struct point_family *family,
			    const struct ast_point *point, struct sites *sites);
/** Is it for a script that will run, by the kernel's probes in programs? */
bool point_is_for_uprobes(const struct point_env *env);
/** Appends `.name` or `.name(argument)` of the components from `first` on. */
void point_print_rest(struct sp_buf *out, const struct ast_point *point, unsigned first);
/** Appends `@file:line` of a function; `file` NULL: nothing, `line` 0, as in Go: it is not known. */
void point_print_file(struct sp_buf *out, const char *file, unsigned line);
/** Copies a buffer into the environment's arena and empties it. */
const char *point_take(struct point_env *env, struct sp_buf *buf);
/** Reports an error of debug information at a place, and frees it. */
struct diag *point_report(struct point_env *env, struct span span, enum diag_id id,
			  struct sp_err *err);
/** The kernel modules that module("...") means; of those that a wildcard finds, the ones that can have that section and function, unless
 *  these are NULL. False after a diagnostic. */
bool point_kernel_modules(struct point_env *env, const struct ast_point_part *part, const char *section, const char *function,
			  struct dbg_modules *ret);

#endif
