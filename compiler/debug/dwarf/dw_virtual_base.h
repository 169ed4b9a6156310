// SPDX-License-Identifier: GPL-2.0-or-later
/** Virtual bases of C++ classes. */
#ifndef SP_DEBUG_DW_VIRTUAL_BASE_H
#define SP_DEBUG_DW_VIRTUAL_BASE_H

#include "runtime/base/util.h"

#include <elfutils/libdw.h>

/** What struct c_virtual_base has as its slot. False: `die` is no virtual base, or its place is computed in another way than that of
 *  the Itanium C++ ABI. */
bool dw_virtual_base_slot(Dwarf_Die *die, uint64_t *ret);

#endif
