// SPDX-License-Identifier: GPL-2.0-or-later
/** The script's variables as JSON: an object a line, "global" or "array". */
#ifndef SP_RUNTIME_JSON_GLOBALS_H
#define SP_RUNTIME_JSON_GLOBALS_H

#include "runtime/print/unread.h"

/** Appends what unread_print() shows as text. */
void json_globals_put(struct sp_buf *out, const struct unread *what);

#endif
