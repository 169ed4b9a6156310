// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_enum.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_type.h"
#include "compiler/debug/index/dw_index.h"

#include <dwarf.h>

#define MAX_DEPTH 16 // of scopes: namespaces, classes, functions and their blocks

struct wanted {
	const char *type; // "Color" of "Color::RED"; NULL: any
	size_t type_len;
	const char *name;
};

// Of "ns::Color::RED" only "Color" and "RED" are compared.
static struct wanted wanted_of(const char *name)
{
	struct wanted ret = { .name = name };

	for (const char *at = name, *next; (next = strstr(at, "::")); at = next + 2)
		ret = (struct wanted){ .type = at, .type_len = (size_t)(next - at), .name = next + 2 };
	return ret;
}

static bool has_enumerator(Dwarf_Die *enumeration, const struct wanted *wanted)
{
	const char *type = dw_attr_name(enumeration);
	Dwarf_Die child;

	if (wanted->type && !sp_is_word(wanted->type, wanted->type_len, type))
		return false;
	for (int status = dwarf_child(enumeration, &child); status == 0; status = dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_enumerator && sp_streq(dw_attr_name(&child), wanted->name))
			return true;
	return false;
}

static bool is_scope(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

static bool find_in(Dwarf_Die *scope, const struct wanted *wanted, unsigned depth, Dwarf_Die *ret)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_enumeration_type && has_enumerator(&child, wanted)) {
			*ret = child;
			return true;
		}
		if (depth < MAX_DEPTH && is_scope(&child) && find_in(&child, wanted, depth + 1, ret))
			return true;
	}
	return false;
}

const struct c_type *dw_enum_of_unit(struct dw_file *file, Dwarf_Die *unit, const char *name)
{
	struct wanted wanted = wanted_of(name);
	Dwarf_Die die;

	return find_in(unit, &wanted, 0, &die) ? dw_type_of(file, &die) : NULL;
}

const struct c_type *dw_enum_find(struct dw_file *file, const char *name)
{
	const struct c_type *ret = NULL;

	for (size_t i = 0; !ret && i < dw_units_count(file); i++) {
		Dwarf_Die unit;

		if (!dw_units_at(file, i))
			break;
		dw_units_die(file, i, &unit);
		ret = dw_enum_of_unit(file, &unit, name);
		dw_units_forget(file);
	}
	return ret;
}
