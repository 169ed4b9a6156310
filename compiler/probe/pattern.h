// SPDX-License-Identifier: GPL-2.0-or-later
/** The text in function("...") and statement("..."): NAME, NAME@FILE, NAME@FILE:LINES, NAME@FILE+N, NAME;TEXT,
 *  NAME@FILE;TEXT, NAME+BYTES, NAME+BYTES@FILE.
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
	enum { PATTERN_NO_LINE, PATTERN_LINES, PATTERN_ALL_LINES, PATTERN_RELATIVE, PATTERN_TEXT, PATTERN_OFFSET } kind;
	struct dbg_line_range *lines; // LINES, RELATIVE
	unsigned n_lines;
	const char *text; // TEXT
	uint64_t offset; // OFFSET: bytes from the function's entry
};

/** Where the name ends with the bytes from a function's entry, "+0x10" or "+16", as in "vfs_read+0x10"; NULL: it does not. */
const char *pattern_offset(const char *text);

/** False after a diagnostic. */
bool pattern_parse(struct point_env *env, const struct ast_point_part *part, struct pattern *ret);
/** Is it such a line? */
bool pattern_fits_line(const struct pattern *pattern, const char *line);

#endif
