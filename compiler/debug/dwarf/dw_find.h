// SPDX-License-Identifier: GPL-2.0-or-later
/** Finding the definition of a type by its name, in any unit. */
#ifndef SP_DEBUG_DW_FIND_H
#define SP_DEBUG_DW_FIND_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/type.h"

/** The DIE of the definition, in `unit` or (NULL) in any; C_TYPEDEF stands for typedefs and base types. False: there is none. */
bool dw_find_type(struct dw_file *file, Dwarf_Die *unit, enum c_kind kind, const char *name, Dwarf_Die *ret);

#endif
