// SPDX-License-Identifier: GPL-2.0-or-later
/** The layout of a type: where its members are, how large, and what is left empty. */
#ifndef SP_DRIVER_SHOW_TYPE_H
#define SP_DRIVER_SHOW_TYPE_H

#include "compiler/debug/dbg.h"

/** Prints "struct path: 16 bytes", then a line for each member (offset, size, name:type), hole and enumerator. */
void show_type_text(struct sp_buf *out, const struct c_type *type);
/** Prints the same, without the holes, as one JSON object on a line. */
void show_type_json(struct sp_buf *out, const struct c_type *type);

#endif
