// SPDX-License-Identifier: GPL-2.0-or-later
/** One directive of a printf format, of scripts and of compiled ones: "%-08.*x". All numbers have 64 bits, so compiled
 *  formats have no lengths ("l"); scripts and bpf_snprintf read theirs between the specification and the conversion. */
#ifndef SP_BASE_DIRECTIVE_H
#define SP_BASE_DIRECTIVE_H

#include <stdbool.h>

// As long as a line of output can be in other implementations; protects from `%999999999d` in a damaged file.
#define SP_DIRECTIVE_MAX_WIDTH 8192
#define SP_DIRECTIVE_FROM_ARG (-2) // `*`
#define SP_DIRECTIVE_UNSET (-1)

enum sp_directive_flag {
	SP_DIRECTIVE_LEFT = 1,
	SP_DIRECTIVE_PLUS = 2,
	SP_DIRECTIVE_SPACE = 4,
	SP_DIRECTIVE_ALTERNATE = 8,
	SP_DIRECTIVE_ZERO = 16
};

struct sp_directive {
	unsigned flags; // of enum sp_directive_flag
	int width, precision; // UNSET, FROM_ARG, or the number
	char conversion; // d i u x X o c s p b m M f e g %
};

/** Reads flags, width and precision from `p` on, which is behind the '%'. Returns what follows them. */
const char *sp_directive_parse_spec(const char *p, struct sp_directive *ret);
bool sp_directive_is_too_wide(const struct sp_directive *d);
bool sp_directive_is_conversion(char c);
/** Reads a whole directive of a compiled format. Returns what follows it, NULL when it is none or too wide. */
const char *sp_directive_parse(const char *p, struct sp_directive *ret);

#endif
