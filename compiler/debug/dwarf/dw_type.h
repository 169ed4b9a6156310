// SPDX-License-Identifier: GPL-2.0-or-later
/** From DIEs to struct c_type. A type is made when it is first referred to; its members are read when dbg_complete_type() asks. */
#ifndef SP_DEBUG_DW_TYPE_H
#define SP_DEBUG_DW_TYPE_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/type.h"

/** The type that a DIE describes; never NULL (C_UNKNOWN when it cannot be understood). */
const struct c_type *dw_type_of(struct dw_file *file, Dwarf_Die *die);
/** The type that the DIE's DW_AT_type refers to; NULL: void. */
const struct c_type *dw_type_ref(struct dw_file *file, Dwarf_Die *die);
/** The same by another attribute: DW_AT_containing_type. */
const struct c_type *dw_type_ref_by(struct dw_file *file, Dwarf_Die *die, unsigned name);
/** The definition of a type, in `unit` (or NULL) if that has one, else in any; C_TYPEDEF stands for typedefs and base types.
 *  NULL: there is none. */
const struct c_type *dw_type_find(struct dw_file *file, Dwarf_Die *unit, enum c_kind kind, const char *name);

void dw_types_destroy(struct dw_types *types);

#endif
