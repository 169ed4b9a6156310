// SPDX-License-Identifier: GPL-2.0-or-later
/** SYSTEMTAP_COLORS: the colours of diagnostics, as "error=01;31:warning=00;33:source=00;34:caret=01:token=01". */
#ifndef SP_FRONT_DIAG_COLOR_H
#define SP_FRONT_DIAG_COLOR_H

#include <stdbool.h>
#include <stddef.h>

/** Is it of that form, with these keys and values of digits and semicolons? Who sets another text wants no colours. */
bool diag_color_is_valid(const char *colors);
/** The value of a key in a valid text, which has *len_ret bytes; NULL: `colors` is NULL, or does not have the key. */
const char *diag_color_find(const char *colors, const char *key, size_t *len_ret);

#endif
