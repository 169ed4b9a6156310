// SPDX-License-Identifier: GPL-2.0-or-later
/** The layout of a type: where its members are, how large, and what is left empty. */
#ifndef SP_DRIVER_SHOW_TYPE_H
#define SP_DRIVER_SHOW_TYPE_H

#include "compiler/debug/dbg.h"

/** "struct path: 16 bytes", then a line a member: offset, size, name:type; holes; enumerators. */
void show_type_text(struct sp_buf *out, const struct c_type *type);
/** The same as one JSON object and a newline. */
void show_type_json(struct sp_buf *out, const struct c_type *type);

#endif
