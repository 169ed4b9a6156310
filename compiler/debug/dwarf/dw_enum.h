// SPDX-License-Identifier: GPL-2.0-or-later
/** Enumerators by their names. */
#ifndef SP_DEBUG_DW_ENUM_H
#define SP_DEBUG_DW_ENUM_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/type.h"

/** The enumeration in one unit that has the enumerator `name` ("RED", "Color::RED"). NULL: none. */
const struct c_type *dw_enum_of_unit(struct dw_file *file, Dwarf_Die *unit, const char *name);
/** The same in the first unit that has one. */
const struct c_type *dw_enum_find(struct dw_file *file, const char *name);

#endif
