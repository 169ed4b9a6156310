// SPDX-License-Identifier: GPL-2.0-or-later
/** Functions as probe points, the same for the kernel and for programs: "name@file:line" to sites, and what `$name`
 *  means at them. */
#ifndef SP_PROBE_PT_FUNC_H
#define SP_PROBE_PT_FUNC_H

#include "compiler/probe/search.h"

/** Patterns of the points in a file with functions, as in point_family.patterns; `at` names the file: "kernel",
 *  "process(string)". */
#define FUNC_PATTERNS(at)                                                                                               \
	FUNC_PATTERNS_VARIANTS(at ".function(string)")                                                                  \
	FUNC_PATTERNS_VARIANTS(at ".function(number)")                                                                  \
	FUNC_PATTERNS_CALLS(at ".function(string).callee(string)")                                                      \
	FUNC_PATTERNS_CALLS(at ".function(string).callees")                                                             \
	FUNC_PATTERNS_CALLS(at ".function(string).callees(number)")                                                     \
	at ".function(string).label(string)\n"                                                                          \
	at ".statement(string)\n" at ".statement(string).nearest\n"                                                     \
	at ".statement(number)\n" at ".statement(number).nearest\n" at ".statement(number).absolute\n"
#define FUNC_PATTERNS_CALLS(at) at "\n" at ".call\n" at ".return\n" at ".return.maxactive(number)\n"
#define FUNC_PATTERNS_VARIANTS(at) FUNC_PATTERNS_CALLS(at) at ".inline\n" at ".exported\n"

/** Finds the functions of the point's `function("...")` component and appends their sites. As point_family.resolve. */
bool func_resolve(struct search *search);
/** The functions that a component names ("f@file.c"). False after a diagnostic. */
bool func_parse_query(struct point_env *env, const struct ast_point_part *part, struct dbg_func_query *ret);
/** The address at which a function is probed: behind the prologue of code that is not optimised, where parameters get to their
 *  places, else the entry. A .return probe is set at the entry: the kernel then sees the return. */
uint64_t func_hook_pc(const struct dbg_func *func, bool is_return);
/** Appends NAME@FILE:LINE, quoted for a string of a script, with the namespaces and classes of the function. `file` NULL: the
 *  name alone. */
void func_print_place(struct sp_buf *out, const struct dbg_func *func, const char *file, unsigned line);
/** The same with the file and line of the function's declaration. */
void func_print_name(struct sp_buf *out, const struct dbg_func *func);
/** A site at `pc` of a function, without its text. NULL: nothing of the file is loaded there. */
struct site *func_add_site(struct search *search, struct dbg_func *func, uint64_t pc);
/** What the note and the hint of "nothing matches" say (no_func.c); see report_no_match in point.c. */
const char *func_explain_no_match(struct point_env *env, struct dbg_module *module,
				  const struct dbg_func_query *query);

/** As the members of point_family. At fentry and fexit, parameters are words of the context; elsewhere they are where debug
 *  information says. */
bool func_find_var(struct point_env *env, struct site *site, const struct ast_expr *target,
		   struct site_value *ret, bool *needs_entry_ret);
/** Where in the kernel, or in a module of it, the site is attached. */
void func_set_kernel_place(struct site *site, const struct dbg_func *func, uint64_t pc);
struct site *func_entry_site(struct point_env *env, const struct site *site);
void func_list_names(struct point_env *env, struct site *site, enum point_list which, struct point_names *ret);
void func_list_vars(struct point_env *env, struct site *site, struct sp_buf *out);

#endif
