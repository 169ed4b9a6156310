// SPDX-License-Identifier: GPL-2.0-or-later
/** Whether the units of a file can be read one by one, without others. */
#ifndef SP_DEBUG_DW_ALONE_H
#define SP_DEBUG_DW_ALONE_H

#include "compiler/debug/dwarf/dw_elf.h"

/** Can a DIE refer to one of another unit, by the abbreviations in .debug_abbrev? True, too, when they are not understood. */
bool dw_alone_has_refs(const struct dw_section *abbrev);

#endif
