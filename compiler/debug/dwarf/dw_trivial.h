// SPDX-License-Identifier: GPL-2.0-or-later
/** Objects of C++ that take code of their own to be copied, moved or destroyed. */
#ifndef SP_DEBUG_DW_TRIVIAL_H
#define SP_DEBUG_DW_TRIVIAL_H

#include "compiler/model/type.h"

/** DW_TRIVIAL_OR_NOT: debug information does not tell. In order: one member that is not trivial makes the whole so. */
enum dw_triviality { DW_TRIVIAL, DW_TRIVIAL_OR_NOT, DW_NOT_TRIVIAL };

/** Objects of classes that are "non-trivial for the purposes of calls" (Itanium C++ ABI, 1.1) are in memory whatever their size when they
 *  are passed or returned, with their address in their place. clang says which ones are; of gcc's, their members tell. */
enum dw_triviality dw_triviality(const struct c_type *type);

#endif
