// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_attr.h"

#include <dwarf.h>

const char *dw_attr_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name ? name : "";
}

bool dw_attr_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	bool value;
	return dwarf_attr_integrate(die, name, &attr) && dwarf_formflag(&attr, &value) == 0 && value;
}

bool dw_attr_number(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value) != 0)
		return false;
	*ret = value;
	return true;
}

uint64_t dw_attr_number_or(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	uint64_t value;
	return dw_attr_number(die, name, &value) ? value : otherwise;
}

bool dw_attr_signature(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, DW_AT_signature, &attr) && dwarf_formref_die(&attr, ret) && ret->addr != die->addr;
}

// DWARF 4 has a form of its own for expressions. libdw takes no other one there, while Go writes blocks as in DWARF 3; with a length below
// 128, which is one byte of LEB128, both are the same bytes.
bool dw_attr_place(Dwarf_Die *die, unsigned name, Dwarf_Attribute *ret)
{
	Dwarf_Block block;

	if (!dwarf_attr_integrate(die, name, ret))
		return false;
	if (dwarf_whatform(ret) == DW_FORM_block || (dwarf_whatform(ret) == DW_FORM_block1 && !dwarf_formblock(ret, &block) && block.length < 128))
		ret->form = DW_FORM_exprloc;
	return true;
}

bool dw_attr_indexed(Dwarf_Attribute *attr, const Dwarf_Op *op, bool *is_addr_ret, uint64_t *ret)
{
	bool is_addr = op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index;
	Dwarf_Attribute entry;
	Dwarf_Addr addr;
	Dwarf_Word number;

	if (dwarf_getlocation_attr(attr, op, &entry) != 0 ||
	    (is_addr ? dwarf_formaddr(&entry, &addr) : dwarf_formudata(&entry, &number)) != 0)
		return false;
	*is_addr_ret = is_addr;
	*ret = is_addr ? addr : number;
	return true;
}

static struct dw_spot spot_of(Dwarf_Die *die, unsigned line, unsigned column)
{
	return (struct dw_spot){ (unsigned)dw_attr_number_or(die, line, 0), (unsigned)dw_attr_number_or(die, column, 0) };
}

struct dw_spot dw_attr_declared(Dwarf_Die *die)
{
	return spot_of(die, DW_AT_decl_line, DW_AT_decl_column);
}

struct dw_spot dw_attr_called(Dwarf_Die *die)
{
	return spot_of(die, DW_AT_call_line, DW_AT_call_column);
}

bool dw_spot_is(struct dw_spot a, struct dw_spot b)
{
	return a.line == b.line && a.column == b.column;
}

bool dw_attr_is_cplusplus(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_cu_die(die->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: // DW_LANG_C_plus_plus_17, _20: not in elfutils' dwarf.h
	case 0x2b:
		return true;
	default:
		return false;
	}
}
