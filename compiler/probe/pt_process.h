// SPDX-License-Identifier: GPL-2.0-or-later
/** What all families of process(...) points share: the programs and libraries that a point means. */
#ifndef SP_PROBE_PT_PROCESS_H
#define SP_PROBE_PT_PROCESS_H

#include "compiler/probe/search.h"

/** Patterns behind each way to name a program or library; `patterns` is a macro as FUNC_PATTERNS. */
#define PROCESS_PATTERNS(patterns)                                                                    \
	patterns("process") patterns("process(string)") patterns("process(number)")                    \
	patterns("process.library(string)") patterns("process(string).library(string)")                \
	patterns("process(number).library(string)")

/** Can the number of process(PID), the first component of the point, be one of a process? False after a diagnostic. True of points that have
 *  no number there. */
bool process_check_number(struct point_env *env, const struct ast_point *point);

/** The program that a component `process`, `process("path")` or `process(PID)` names. False after a diagnostic. */
bool process_program(struct point_env *env, const struct ast_point_part *part, struct dbg_module **ret);

/** Finds the sites of search->point in one file, search->module, as point_family.resolve does. The point has no
 *  `.library("...")` any more: the file is that library. */
typedef bool process_resolve_fn(struct search *search);

/** Calls `fn` for each program or library that the point means, as point_family.resolve. Sites in a library of
 *  process("path") are for processes alone that run that program. */
bool process_each(struct point_env *env, const struct point_family *family, const struct ast_point *point,
		  process_resolve_fn *fn, struct sites *sites_ret, const char **why_ret);

#endif
