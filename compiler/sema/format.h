// SPDX-License-Identifier: GPL-2.0-or-later
/** printf formats, as sema needs them: which arguments they take, and how long their text can be. */
#ifndef SP_SEMA_FORMAT_H
#define SP_SEMA_FORMAT_H

#include "runtime/base/util.h"

struct format_part {
	char conversion; // d i u x X o c s p b m M; '%' for %%; 0: plain text
	uint32_t off, len; // in the format
	bool star_width, star_precision; // each takes an argument before the value
	int width, precision; // -1: not given
};

enum format_result { FORMAT_PART, FORMAT_END, FORMAT_BAD };

/** Reads the part at *at and moves on. FORMAT_BAD: `ret` holds the place of what is no directive. */
enum format_result format_next(const char *text, uint32_t len, uint32_t *at, struct format_part *ret);

#endif
