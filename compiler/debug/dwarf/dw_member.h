// SPDX-License-Identifier: GPL-2.0-or-later
/** What structures and enumerations consist of. It is read when dbg_complete_type() asks. */
#ifndef SP_DEBUG_DW_MEMBER_H
#define SP_DEBUG_DW_MEMBER_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/type.h"

#define DW_MAX_MEMBERS 100000 // more than real types have: broken debug information

/** Sets the members and the virtual bases of a structure or union. */
void dw_members_load(struct dw_file *file, Dwarf_Die *die, struct c_type *type);
/** Sets the enumerators of an enumeration. */
void dw_members_load_enumerators(struct dw_file *file, Dwarf_Die *die, struct c_type *type);

#endif
