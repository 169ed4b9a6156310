// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_trivial.h"

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_attr.h"

#include <dwarf.h>

#define MAX_TYPES 1000 // that are looked at for one answer

// "Box" of "Box<int>". An instance of a template has its arguments in its name, and is never what copies or moves.
static bool is_constructor(Dwarf_Die *function, Dwarf_Die *class)
{
	const char *name = dw_attr_name(class);
	size_t len = strcspn(name, "<");

	return len && strlen(dw_attr_name(function)) == len && !strncmp(dw_attr_name(function), name, len);
}

// Is a parameter a reference to that class?
static bool is_reference_to(Dwarf_Die *parameter, Dwarf_Die *class)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (!dwarf_attr(parameter, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &type) ||
	    (dwarf_tag(&type) != DW_TAG_reference_type && dwarf_tag(&type) != DW_TAG_rvalue_reference_type))
		return false;
	while (dwarf_attr(&type, DW_AT_type, &attr) && dwarf_formref_die(&attr, &type) && dwarf_tag(&type) == DW_TAG_const_type)
		;
	return !strcmp(dw_attr_name(&type), dw_attr_name(class));
}

// Does a constructor copy or move an object? With more parameters it does if they all have default arguments, which gcc leaves out.
static enum dw_triviality copies(Dwarf_Die *function, Dwarf_Die *class)
{
	int n_parameters = 0;
	Dwarf_Die child;

	if (!is_constructor(function, class))
		return DW_TRIVIAL;
	for (int status = dwarf_child(function, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);

		if (tag == DW_TAG_template_type_parameter || tag == DW_TAG_template_value_parameter)
			return DW_TRIVIAL;
		if (tag != DW_TAG_formal_parameter || dw_attr_flag(&child, DW_AT_artificial))
			continue;
		if (!n_parameters++ && !is_reference_to(&child, class))
			return DW_TRIVIAL;
	}
	return n_parameters > 1 ? DW_TRIVIAL_OR_NOT : n_parameters ? DW_NOT_TRIVIAL : DW_TRIVIAL;
}

// What the compiler has added by itself is as its members are, which are looked at.
static enum dw_triviality own_code(Dwarf_Die *class)
{
	bool is_deleted = false, is_copied = false, is_perhaps_copied = false;
	Dwarf_Die child;

	for (int status = dwarf_child(class, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		enum dw_triviality copying;
		bool is_own;

		if (dwarf_tag(&child) != DW_TAG_subprogram)
			continue;
		if (dw_attr_number_or(&child, DW_AT_virtuality, DW_VIRTUALITY_none) != DW_VIRTUALITY_none)
			return DW_NOT_TRIVIAL;
		is_own = !dw_attr_flag(&child, DW_AT_artificial) && dw_attr_number_or(&child, DW_AT_defaulted, 0) != DW_DEFAULTED_in_class;
		if (dw_attr_name(&child)[0] == '~' && is_own)
			return DW_NOT_TRIVIAL;
		copying = copies(&child, class);
		is_perhaps_copied |= copying == DW_TRIVIAL_OR_NOT;
		if (copying != DW_NOT_TRIVIAL)
			continue;
		if (dw_attr_flag(&child, DW_AT_deleted))
			is_deleted = true;
		else if (is_own)
			return DW_NOT_TRIVIAL;
		else
			is_copied = true;
	}
	return is_perhaps_copied ? DW_TRIVIAL_OR_NOT : is_deleted && !is_copied ? DW_NOT_TRIVIAL : DW_TRIVIAL;
}

static enum dw_triviality triviality(const struct c_type *type, unsigned *n_types)
{
	enum dw_triviality ret;
	const struct c_type *whole;
	uint64_t convention;
	Dwarf_Die die;

	type = c_type_strip(type);
	while (type && type->kind == C_ARRAY)
		type = c_type_strip(type->target);
	if (!type || (type->kind != C_STRUCT && type->kind != C_UNION) || !type->origin || ++*n_types > MAX_TYPES)
		return DW_TRIVIAL;
	// Types of C may be completed by BTF; those of C++ have a DIE.
	die = *(Dwarf_Die *)(uintptr_t)type->origin;
	if (!dw_attr_is_cplusplus(&die) || !(whole = dbg_complete_type(type)))
		return DW_TRIVIAL;
	die = *(Dwarf_Die *)(uintptr_t)whole->origin;
	if (dw_attr_number(&die, DW_AT_calling_convention, &convention))
		return convention == DW_CC_pass_by_reference ? DW_NOT_TRIVIAL : DW_TRIVIAL;
	ret = whole->n_virtual_bases ? DW_NOT_TRIVIAL : own_code(&die);
	for (unsigned i = 0; i < whole->n_members && ret != DW_NOT_TRIVIAL; i++) {
		enum dw_triviality member = triviality(whole->members[i].type, n_types);

		ret = SP_MAX(ret, member);
	}
	return ret;
}

enum dw_triviality dw_triviality(const struct c_type *type)
{
	unsigned n_types = 0;

	return triviality(type, &n_types);
}
