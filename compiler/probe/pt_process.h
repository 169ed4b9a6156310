// SPDX-License-Identifier: GPL-2.0-or-later
/** What all families of process(...) points share: the programs and libraries that a point means. */
#ifndef SP_PROBE_PT_PROCESS_H
#define SP_PROBE_PT_PROCESS_H

#include "compiler/probe/search.h"

/** What `patterns(at)` gives behind each way to name files. */
#define PROCESS_PATTERNS(patterns)                                                                    \
	patterns("process") patterns("process(string)") patterns("process(number)")                    \
	patterns("process.library(string)") patterns("process(string).library(string)")                \
	patterns("process(number).library(string)")

/** The program that a component `process`, `process("path")` or `process(PID)` names. False after a diagnostic. */
bool process_program(struct point_env *env, const struct ast_point_part *part, struct dbg_module **ret);

/** Finds the sites of a point in one file. The search's point is without `.library("...")`. As point_family.resolve. */
typedef bool process_resolve_fn(struct search *search);

/** Calls it for each file that a point means, and narrows the sites to the processes that it is for. As
 *  point_family.resolve. */
bool process_each(struct point_env *env, const struct point_family *family, const struct ast_point *point,
		  process_resolve_fn *fn, struct sites *sites_ret, const char **why_ret);

#endif
