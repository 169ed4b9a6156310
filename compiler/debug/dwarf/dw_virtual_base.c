// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_virtual_base.h"

#include <dwarf.h>

// DW_AT_data_member_location is dup, deref, constu SLOT, minus, deref, plus.
bool dw_virtual_base_slot(Dwarf_Die *die, uint64_t *ret)
{
	static const uint8_t atoms[] = { DW_OP_dup, DW_OP_deref, DW_OP_constu, DW_OP_minus, DW_OP_deref, DW_OP_plus };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_tag(die) != DW_TAG_inheritance || !dwarf_attr(die, DW_AT_data_member_location, &attr) ||
	    dwarf_getlocation(&attr, &ops, &n) != 0 || n != SP_ARRAY_SIZE(atoms))
		return false;
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom != atoms[i] && !(i == 2 && ops[i].atom >= DW_OP_lit0 && ops[i].atom <= DW_OP_lit31))
			return false;
	*ret = ops[2].atom == DW_OP_constu ? ops[2].number : (Dwarf_Word)(ops[2].atom - DW_OP_lit0);
	return true;
}
