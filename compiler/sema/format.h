// SPDX-License-Identifier: GPL-2.0-or-later
/** printf formats: their directives, which arguments those take, and how long their text can be. */
#ifndef SP_SEMA_FORMAT_H
#define SP_SEMA_FORMAT_H

#include "compiler/front/ast.h"

struct format_part {
	char conversion; // d i u x X o c s p b m M f e g; '%' for %%; 0: plain text
	uint32_t off, len; // in the format
	uint32_t spec_len; // of a directive: "%-08.*", what is before the length ("l") and the conversion
	bool star_width, star_precision; // each takes an argument before the value
	int width, precision; // SP_DIRECTIVE_UNSET: not given, or taken from an argument
};

enum format_result { FORMAT_PART, FORMAT_END, FORMAT_BAD, FORMAT_TOO_WIDE };

/** Reads the part at *at of a NUL-terminated text and moves on. FORMAT_BAD, FORMAT_TOO_WIDE: `ret` holds the place of what is
 *  no directive, or of one that asks for more than SP_DIRECTIVE_MAX_WIDTH. Of C's lengths there is `l`, for numbers; it
 *  changes nothing, as they all have 64 bits. */
enum format_result format_next(const char *text, uint32_t len, uint32_t *at, struct format_part *ret);
/** Can it print a NUL, by %b, %m or %c? Then its text cannot become a part of another one: a string ends at its NUL. */
bool format_may_have_nul(const struct ast_expr *format);
/** Where a part of a literal stands in the script; the whole literal when it was put together. */
struct span format_span(const struct source_map *sources, const struct ast_expr *literal,
			const struct format_part *part);

#endif
