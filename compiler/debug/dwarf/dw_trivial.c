// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_trivial.h"

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_attr.h"

#include <dwarf.h>

#define MAX_TYPES 1000 // that are looked at for one answer

// "Box" of "Box<int>".
static bool is_named_as(const char *function, const char *class)
{
	size_t len = strcspn(class, "<");

	return len && !strncmp(function, class, len) && (!function[len] || function[len] == '<');
}

// The type of the first parameter behind `this`, without `const`; false: there is none, or it is no reference.
static bool first_reference(Dwarf_Die *function, Dwarf_Die *ret)
{
	Dwarf_Die child;
	Dwarf_Attribute attr;

	for (int status = dwarf_child(function, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || dw_attr_flag(&child, DW_AT_artificial))
			continue;
		if (!dwarf_attr(&child, DW_AT_type, &attr) || !dwarf_formref_die(&attr, ret) ||
		    (dwarf_tag(ret) != DW_TAG_reference_type && dwarf_tag(ret) != DW_TAG_rvalue_reference_type))
			return false;
		while (dwarf_attr(ret, DW_AT_type, &attr) && dwarf_formref_die(&attr, ret) && dwarf_tag(ret) == DW_TAG_const_type)
			;
		return true;
	}
	return false;
}

static bool copies(Dwarf_Die *function, Dwarf_Die *class)
{
	Dwarf_Die of;

	return is_named_as(dw_attr_name(function), dw_attr_name(class)) && first_reference(function, &of) &&
	       !strcmp(dw_attr_name(&of), dw_attr_name(class));
}

// What the compiler has added by itself is as its members are, which are looked at.
static bool has_code(Dwarf_Die *class)
{
	bool is_deleted = false, is_copied = false;
	Dwarf_Die child;

	for (int status = dwarf_child(class, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		bool is_own, is_copy;

		if (dwarf_tag(&child) != DW_TAG_subprogram)
			continue;
		if (dw_attr_number_or(&child, DW_AT_virtuality, DW_VIRTUALITY_none) != DW_VIRTUALITY_none)
			return true;
		is_own = !dw_attr_flag(&child, DW_AT_artificial) && dw_attr_number_or(&child, DW_AT_defaulted, 0) != DW_DEFAULTED_in_class;
		if (dw_attr_name(&child)[0] == '~' && is_own)
			return true;
		if (!(is_copy = copies(&child, class)))
			continue;
		if (dw_attr_flag(&child, DW_AT_deleted))
			is_deleted = true;
		else if (is_own)
			return true;
		else
			is_copied = true;
	}
	return is_deleted && !is_copied;
}

static bool is_not_trivial(const struct c_type *type, unsigned *n_types)
{
	const struct c_type *whole;
	uint64_t convention;
	Dwarf_Die die;

	type = c_type_strip(type);
	while (type && type->kind == C_ARRAY)
		type = c_type_strip(type->target);
	if (!type || (type->kind != C_STRUCT && type->kind != C_UNION) || !type->origin || ++*n_types > MAX_TYPES)
		return false;
	// Types of C may be completed by BTF; those of C++ have a DIE.
	die = *(Dwarf_Die *)(uintptr_t)type->origin;
	if (!dw_attr_is_cplusplus(&die) || !(whole = dbg_complete_type(type)))
		return false;
	die = *(Dwarf_Die *)(uintptr_t)whole->origin;
	if (dw_attr_number(&die, DW_AT_calling_convention, &convention))
		return convention == DW_CC_pass_by_reference;
	if (whole->n_virtual_bases || has_code(&die))
		return true;
	for (unsigned i = 0; i < whole->n_members; i++)
		if (is_not_trivial(whole->members[i].type, n_types))
			return true;
	return false;
}

bool dw_trivial_is_not(const struct c_type *type)
{
	unsigned n_types = 0;

	return is_not_trivial(type, &n_types);
}
