// SPDX-License-Identifier: GPL-2.0-or-later
/** Names of instances of C++ templates. With clang's -gsimple-template-names they are all `Box` in debug information. */
#ifndef SP_DEBUG_DW_TEMPLATE_H
#define SP_DEBUG_DW_TEMPLATE_H

#include "compiler/debug/dwarf/dw_file.h"

/** The name of a type with the arguments of its template, "Box<int>", also where the DIE's own name is without; in clang's words, so
 *  that it is the same in every unit. An argument that cannot be put in words is "?" with a number that no other type has.
 *  NULL: it has no name. */
const char *dw_template_name(struct dw_file *file, Dwarf_Die *die);

#endif
