// SPDX-License-Identifier: GPL-2.0-or-later
/** Attributes of DIEs, those that an abstract origin or a declaration has for them included. */
#ifndef SP_DEBUG_DW_ATTR_H
#define SP_DEBUG_DW_ATTR_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/** Is the flag there, and set? */
bool dw_attr_flag(Dwarf_Die *die, unsigned name);
/** False: it is not there, or no constant. */
bool dw_attr_number(Dwarf_Die *die, unsigned name, uint64_t *ret);

#endif
