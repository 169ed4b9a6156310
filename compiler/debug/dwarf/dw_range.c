// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_range.h"

#include <dwarf.h>

// The first range of a scope (with `any`), or the one that holds `pc`. The order is that of DW_AT_ranges: gcc's hot code comes
// before its cold code.
static bool pick_range(Dwarf_Die *die, uint64_t pc, bool any, uint64_t *low_ret, uint64_t *high_ret)
{
	Dwarf_Addr base, low, high;

	for (ptrdiff_t off = 0; (off = dwarf_ranges(die, off, &base, &low, &high)) > 0;) {
		if (low >= high || (!any && (pc < low || pc >= high)))
			continue;
		*low_ret = low;
		*high_ret = high;
		return true;
	}
	return false;
}

bool dw_range_has(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

bool dw_range_covers(Dwarf_Die *die, uint64_t pc)
{
	uint64_t low, high;

	return !dw_range_has(die) || pick_range(die, pc, false, &low, &high);
}

bool dw_range_at(Dwarf_Die *die, uint64_t pc, uint64_t *low_ret, uint64_t *high_ret)
{
	return pick_range(die, pc, false, low_ret, high_ret);
}

bool dw_range_is_empty_at(Dwarf_Die *die, uint64_t pc)
{
	Dwarf_Addr base, low, high;
	Dwarf_Addr start;

	for (ptrdiff_t off = 0; (off = dwarf_ranges(die, off, &base, &low, &high)) > 0;)
		if (low == pc && high == pc)
			return true;
	return dwarf_hasattr(die, DW_AT_low_pc) && dwarf_lowpc(die, &start) == 0 && start == pc;
}

// DWARF 5 section 2.18: an address, or an offset from the scope's base address.
static bool entry_attr(Dwarf_Die *die, Dwarf_Addr *ret)
{
	Dwarf_Addr base, low, high;
	Dwarf_Attribute attr;
	Dwarf_Word offset;

	if (!dwarf_attr(die, DW_AT_entry_pc, &attr))
		return false;
	if (dwarf_formaddr(&attr, ret) == 0)
		return true;
	if (dwarf_formudata(&attr, &offset) != 0 || dwarf_ranges(die, 0, &base, &low, &high) <= 0)
		return false;
	*ret = low + offset;
	return true;
}

bool dw_range_entry(Dwarf_Die *die, Dwarf_Die *function, uint64_t *entry_ret, uint64_t *low_ret,
		    uint64_t *high_ret)
{
	Dwarf_Addr entry;
	bool has_entry = entry_attr(die, &entry) || (dwarf_hasattr(die, DW_AT_low_pc) && dwarf_lowpc(die, &entry) == 0);

	// The entry need not be in the first range.
	if (has_entry && pick_range(die, entry, false, low_ret, high_ret)) {
		*entry_ret = entry;
		return true;
	}
	if (has_entry && die != function && dwarf_haspc(function, entry) == 1 && dw_range_is_empty_at(die, entry)) {
		*entry_ret = *low_ret = *high_ret = entry;
		return true;
	}
	// An entry outside of all ranges is broken: the first range counts.
	if (!pick_range(die, 0, true, low_ret, high_ret))
		return false;
	*entry_ret = *low_ret;
	return true;
}
