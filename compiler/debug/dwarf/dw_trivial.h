// SPDX-License-Identifier: GPL-2.0-or-later
/** Objects of C++ that take code of their own to be copied, moved or destroyed. */
#ifndef SP_DEBUG_DW_TRIVIAL_H
#define SP_DEBUG_DW_TRIVIAL_H

#include "compiler/model/type.h"

/** Is an object of that type in memory whatever its size when it is passed or returned, with its address in its place? That is so for
 *  classes that are "non-trivial for the purposes of calls" (Itanium C++ ABI, 1.1). clang says which ones are; of gcc's, their members
 *  tell. */
bool dw_trivial_is_not(const struct c_type *type);

#endif
