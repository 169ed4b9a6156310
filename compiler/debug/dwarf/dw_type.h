// SPDX-License-Identifier: GPL-2.0-or-later
/** DIE -> model type. Types are made when they are reached, structures' members when they are asked for. */
#ifndef SP_DEBUG_DW_TYPE_H
#define SP_DEBUG_DW_TYPE_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/type.h"

/** Type of a DIE that describes one; never NULL (C_UNKNOWN when it cannot be understood). */
const struct c_type *dw_type_of(struct dw_file *file, Dwarf_Die *die);
/** Type that the DIE's DW_AT_type refers to; NULL: void. */
const struct c_type *dw_type_ref(struct dw_file *file, Dwarf_Die *die);
/** The definition of a type, in `unit` (or NULL) if that has one, else in any; C_TYPEDEF stands for typedefs and base types.
 *  NULL: there is none. */
const struct c_type *dw_type_find(struct dw_file *file, Dwarf_Die *unit, enum c_kind kind, const char *name);

void dw_types_destroy(struct dw_types *types);

#endif
