// SPDX-License-Identifier: GPL-2.0-or-later
/** Pointers to members of C++ (DW_TAG_ptr_to_member_type). What they are in memory is of the Itanium C++ ABI, 2.3. */
#ifndef SP_DEBUG_DW_MEMBER_POINTER_H
#define SP_DEBUG_DW_MEMBER_POINTER_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/type.h"

/** Sets the kind, the size and the class: `of_class` of struct c_type says how members are shown. */
void dw_member_pointer_fill(struct dw_file *file, Dwarf_Die *die, struct c_type *type);
/** Sets the enumerators of a pointer to data, as gdb shows them: "&A::y" where `y` begins, "&B::x" in a base class, "NULL". */
void dw_member_pointer_load(struct dw_file *file, Dwarf_Die *die, struct c_type *type);

#endif
