// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_qualify.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/index/dw_scan.h"

#include "runtime/base/arena.h"
#include "runtime/base/hash.h"
#include "runtime/base/util.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 256

// The keys are Dwarf_Die.addr.
struct dw_qualifiers {
	struct sp_hash units; // whose scopes have been read
	struct sp_hash prefixes; // of each declaration of a function: "outer::Box::"
};

void dw_qualifiers_destroy(struct dw_qualifiers *qualifiers)
{
	if (!qualifiers)
		return;
	sp_hash_deinit(&qualifiers->units);
	sp_hash_deinit(&qualifiers->prefixes);
	free(qualifiers);
}

// ---- names ----------------------------------------------------------------------------------------------------------

// The rest of the name behind the next "::" that is not between brackets; NULL: there is none.
static const char *next_part(const char *name)
{
	int depth = 0;

	// "operator<<" and the like are last: their brackets need not pair, and nothing is defined inside of an operator.
	if (sp_starts_with(name, "operator") && name[8] && strchr("<>=!()[]-+*/&|^~,% ", name[8]))
		return NULL;
	for (; *name; name++) {
		depth += strchr("<([{", *name) != NULL;
		depth -= strchr(">)]}", *name) != NULL;
		if (depth <= 0 && name[0] == ':' && name[1] == ':')
			return name + 2;
	}
	return NULL;
}

const char *dw_qualify_last(const char *name)
{
	for (const char *next; (next = next_part(name));)
		name = next;
	return name;
}

bool dw_qualify_match(const char *pattern, const char *name)
{
	if (sp_starts_with(pattern, "::"))
		return sp_glob_match(pattern + 2, name);
	for (; name; name = next_part(name))
		if (sp_glob_match(pattern, name))
			return true;
	return false;
}

// ---- scopes ---------------------------------------------------------------------------------------------------------

static const char *prefix_of(struct dw_file *file, const char *outer, Dwarf_Die *scope)
{
	const char *name = dw_attr_name(scope);

	return *name ? sp_arena_printf(&file->arena, "%s%s::", outer, name) : outer;
}

static void read_scopes(struct dw_file *file, Dwarf_Die *scope, const char *prefix, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0 && depth < MAX_DEPTH;
	     status = dwarf_siblingof(&child, &child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			if (*prefix)
				*sp_hash_insert(&file->qualifiers->prefixes, &child.addr, sizeof(child.addr)) = (char *)prefix;
			if (dwarf_haschildren(&child))
				read_scopes(file, &child, prefix_of(file, prefix, &child), depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_interface_type:
		case DW_TAG_enumeration_type: // Rust has functions in these
			if (dwarf_haschildren(&child))
				read_scopes(file, &child, prefix_of(file, prefix, &child), depth + 1);
			break;
		case DW_TAG_lexical_block:
			read_scopes(file, &child, prefix, depth + 1);
			break;
		default:
			break;
		}
	}
}

bool dw_qualify_is_flat(Dwarf_CU *cu)
{
	Dwarf_Die unit;

	if (!dwarf_cu_die(cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return true;
	int language = dwarf_srclang(&unit);
	return language >= 0 && dw_scan_is_flat((uint64_t)language);
}

// The DIE of the function's declaration, which, unlike that of its definition, stands in its class.
static Dwarf_Die declaration(Dwarf_Die *die)
{
	Dwarf_Die decl = *die, origin;
	Dwarf_Attribute attr;

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if ((!dwarf_attr(&decl, DW_AT_abstract_origin, &attr) && !dwarf_attr(&decl, DW_AT_specification, &attr)) ||
		    !dwarf_formref_die(&attr, &origin))
			break;
		decl = origin;
	}
	return decl;
}

const char *dw_qualify(struct dw_file *file, Dwarf_Die *die)
{
	const char *name = dw_attr_name(die);
	Dwarf_Die decl, unit;

	if (!*name || file->is_kernel)
		return name;
	decl = declaration(die);
	if (dw_qualify_is_flat(decl.cu) || !dwarf_cu_die(decl.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return name;
	if (!file->qualifiers)
		file->qualifiers = sp_calloc(1, sizeof(*file->qualifiers));
	void **is_read = sp_hash_insert(&file->qualifiers->units, &unit.addr, sizeof(unit.addr));
	if (!*is_read) {
		*is_read = file;
		read_scopes(file, &unit, "", 0);
	}
	void **prefix = sp_hash_find(&file->qualifiers->prefixes, &decl.addr, sizeof(decl.addr));
	return prefix ? sp_arena_printf(&file->arena, "%s%s", (const char *)*prefix, name) : name;
}
