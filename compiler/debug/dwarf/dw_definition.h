// SPDX-License-Identifier: GPL-2.0-or-later
/** The definition of a type, found by its name: dw_type.h makes a struct c_type of it. */
#ifndef SP_DEBUG_DW_DEFINITION_H
#define SP_DEBUG_DW_DEFINITION_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/type.h"

/** The DIE that defines the type, in `unit` or (NULL) in any; C_TYPEDEF stands for typedefs and base types. False: none does. */
bool dw_definition_find(struct dw_file *file, Dwarf_Die *unit, enum c_kind kind, const char *name, Dwarf_Die *ret);

#endif
