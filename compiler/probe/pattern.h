// SPDX-License-Identifier: GPL-2.0-or-later
/** The text in function("...") and statement("..."): NAME, NAME@FILE, NAME@FILE:LINES, NAME@FILE+N, NAME;TEXT,
 *  NAME@FILE;TEXT.
 *
 *  LINES: one (`450`), several (`450-460,470`), or `*` for every line. `+N` counts from the line that the function is declared in. Wildcards are
 *  allowed in NAME and FILE; FILE matches the end of the path. TEXT is that of whole lines of the source file, whatever
 *  their blanks; `*` and `?` are wildcards in it. */
#ifndef SP_PROBE_PATTERN_H
#define SP_PROBE_PATTERN_H

#include "compiler/probe/point.h"

struct pattern {
	const char *name;
	const char *file; // NULL: any
	enum { PATTERN_NO_LINE, PATTERN_LINES, PATTERN_ALL_LINES, PATTERN_RELATIVE, PATTERN_TEXT } kind;
	struct dbg_line_range *lines; // LINES, RELATIVE
	unsigned n_lines;
	const char *text; // TEXT
};

/** False after a diagnostic. */
bool pattern_parse(struct point_env *env, const struct ast_point_part *part, struct pattern *ret);
/** Is it such a line? */
bool pattern_fits_line(const struct pattern *pattern, const char *line);

#endif
