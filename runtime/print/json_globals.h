// SPDX-License-Identifier: GPL-2.0-or-later
/** The script's variables as JSON: an object a line, "global" or "array". */
#ifndef SP_RUNTIME_JSON_GLOBALS_H
#define SP_RUNTIME_JSON_GLOBALS_H

#include "runtime/print/unread.h"

#define JSON_ELEMENT_ROOM 256 // bytes for each of unread.most elements, together

/** Appends what unread_print() shows as text. An array that has more than unread.most elements, or more than there is room for, has the
 *  member "more". */
void json_globals_put(struct sp_buf *out, const struct unread *what);

#endif
