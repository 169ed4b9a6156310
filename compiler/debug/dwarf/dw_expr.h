// SPDX-License-Identifier: GPL-2.0-or-later
/** DWARF expressions (DWARF 5 sections 2.5 and 2.6) -> location programs (compiler/model/loc.h). */
#ifndef SP_DEBUG_DW_EXPR_H
#define SP_DEBUG_DW_EXPR_H

#include "compiler/debug/dwarf/dw_loc.h"

/** The location that the operations describe at the site; `attr` is what they come from. NULL: none, and why. */
const struct loc *dw_expr_compile(const struct dw_loc_site *site, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n,
				  const char **why_ret);

#endif
