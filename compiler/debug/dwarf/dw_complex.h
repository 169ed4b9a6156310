// SPDX-License-Identifier: GPL-2.0-or-later
/** _Complex numbers. */
#ifndef SP_DEBUG_DW_COMPLEX_H
#define SP_DEBUG_DW_COMPLEX_H

#include "compiler/model/type.h"

#include "runtime/base/arena.h"

/** Makes a type with a name and a size a structure of two numbers; C_UNKNOWN when these cannot be told. */
void dw_complex_fill(struct sp_arena *arena, struct c_type *type, bool is_float);

#endif
