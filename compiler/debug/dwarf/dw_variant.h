// SPDX-License-Identifier: GPL-2.0-or-later
/** Variants of Rust's enumerations. */
#ifndef SP_DEBUG_DW_VARIANT_H
#define SP_DEBUG_DW_VARIANT_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/type.h"

/** Of a DW_TAG_variant_part of Rust: the type of the number that tells which variant is there, as an enumeration of their names. One
 *  variant may have no number of its own: it is there for all others (`Some` of an Option<&T>, whose number is the pointer).
 *  `number` itself when that cannot be told. */
const struct c_type *dw_enum_of_variants(struct dw_file *file, Dwarf_Die *part, const struct c_type *number);

#endif
