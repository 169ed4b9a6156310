// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_definition.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_template.h"
#include "compiler/debug/index/dw_index.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"

#include <dwarf.h>

#define MAX_DEPTH 128 // of namespaces and classes

struct lookup {
	struct dw_file *file;
	const char *name;
	const char *whole; // the name with scopes, "geo::Point"; NULL: the script gave none, so any namespace will do
	enum c_kind kind; // C_TYPEDEF for all types without a tag
	Dwarf_Die *ret;
	bool is_found;
	bool is_template; // the name has arguments, and there are types that have it without
};

static bool tag_fits(unsigned tag, enum c_kind kind)
{
	if (kind == C_STRUCT)
		return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
	if (kind == C_UNION)
		return tag == DW_TAG_union_type;
	if (kind == C_ENUM)
		return tag == DW_TAG_enumeration_type;
	return tag == DW_TAG_base_type || tag == DW_TAG_typedef;
}

static bool is_scope(const struct lookup *lookup, unsigned tag)
{
	return tag == DW_TAG_namespace || (lookup->whole && (tag_fits(tag, C_STRUCT) || tag == DW_TAG_union_type));
}

static bool has_last_name(const struct lookup *lookup, Dwarf_Die *die)
{
	const char *name = dw_attr_name(die);
	size_t len = strlen(name);

	if (!len || strncmp(name, lookup->name, len) != 0)
		return false;
	if (lookup->name[len])
		return lookup->name[len] == '<' && sp_streq(dw_template_name(lookup->file, die), lookup->name);
	return sp_streq(dw_template_name(lookup->file, die), name);
}

static bool has_whole_name(const struct lookup *lookup, const char *prefix)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };

	sp_buf_printf(&name, "%s%s", prefix, lookup->name);
	return !lookup->whole || dw_qualify_match(lookup->whole, sp_buf_str(&name));
}

static bool look_in(struct lookup *lookup, Dwarf_Die *parent, const char *prefix, int depth);

static bool look_in_scope(struct lookup *lookup, Dwarf_Die *scope, const char *prefix, int depth)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf inner = { 0 };
	const char *name = lookup->whole ? dw_attr_name(scope) : "";
	Dwarf_Die whole;

	if (lookup->whole && !*name && dw_units_whole_type(lookup->file, scope, &whole))
		name = dw_attr_name(&whole);
	sp_buf_puts(&inner, prefix);
	if (*name)
		sp_buf_printf(&inner, "%s::", name);
	return look_in(lookup, scope, sp_buf_str(&inner), depth);
}

static bool look_in(struct lookup *lookup, Dwarf_Die *parent, const char *prefix, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(parent, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);
		if (is_scope(lookup, tag) && depth < MAX_DEPTH && look_in_scope(lookup, &child, prefix, depth + 1))
			return true;
		if (!tag_fits(tag, lookup->kind))
			continue;
		if (!has_last_name(lookup, &child) || !has_whole_name(lookup, prefix))
			continue;
		if (dw_attr_signature(&child, lookup->ret))
			return true;
		if (dwarf_hasattr(&child, DW_AT_declaration)) // its own, not that of a DW_AT_specification
			continue;
		*lookup->ret = child;
		return true;
	}
	return false;
}

static bool look_in_unit(void *ctx, size_t unit)
{
	struct lookup *lookup = ctx;
	Dwarf_Die die;

	if (!dw_units_at(lookup->file, unit))
		return false;
	dw_units_die(lookup->file, unit, &die);
	lookup->is_found = look_in(lookup, &die, "", 0);
	return lookup->is_found;
}

static bool look_for_template(void *ctx, size_t unit)
{
	struct lookup *lookup = ctx;

	lookup->is_template = true;
	return look_in_unit(lookup, unit);
}

// With clang's -gsimple-template-names, "Box<int>" is in the index as "Box".
static void look_for_instance(struct lookup *lookup)
{
	sp_cleanup_free char *name = sp_strndup(lookup->name, strcspn(lookup->name, "<"));

	if (strlen(name) < strlen(lookup->name))
		dw_index_with_name(lookup->file, name, DW_NAMES_TYPES, look_for_template, lookup);
}

// ---- the file that dwz has made of several programs --------------------------------------------------

struct imports {
	struct lookup *lookup;
	struct sp_hash seen; // addresses of units of that file
};

// Looks in the units that `unit` imports from there. Other units there are those of other programs.
static bool look_in_imports(struct imports *imports, Dwarf_Die *unit, int depth)
{
	struct lookup *lookup = imports->lookup;
	Dwarf_Attribute attr;
	Dwarf_Die child, imported;

	// They come before all else.
	for (int status = dwarf_child(unit, &child); status == 0 && dwarf_tag(&child) == DW_TAG_imported_unit;
	     status = dwarf_siblingof(&child, &child)) {
		if (!dwarf_attr(&child, DW_AT_import, &attr) || !dwarf_formref_die(&attr, &imported) ||
		    dwarf_cu_getdwarf(imported.cu) != lookup->file->alt_dwarf || depth > MAX_DEPTH)
			continue;
		void **seen = sp_hash_insert(&imports->seen, &imported.addr, sizeof(imported.addr));
		if (*seen)
			continue;
		*seen = imports;
		if (look_in(lookup, &imported, "", 0) || look_in_imports(imports, &imported, depth + 1))
			return true;
	}
	return false;
}

static bool look_in_alt(struct lookup *lookup)
{
	struct imports imports = { .lookup = lookup };
	bool found = false;

	for (size_t i = 0, n = dw_units_count(lookup->file); i < n && !found; i++) {
		Dwarf_Die unit;

		dw_units_die(lookup->file, i, &unit);
		found = look_in_imports(&imports, &unit, 0);
	}
	sp_hash_deinit(&imports.seen);
	return found;
}

// ---- type units of split debug information -----------------------------------------------------------

static bool look_in_type(void *ctx, Dwarf_Die *unit, Dwarf_Die *type SP_UNUSED, uint64_t signature SP_UNUSED)
{
	return look_in(ctx, unit, "", 0);
}

bool dw_definition_find(struct dw_file *file, Dwarf_Die *unit, enum c_kind kind, const char *name, Dwarf_Die *ret)
{
	struct lookup lookup = { .file = file, .name = dw_qualify_last(name), .kind = kind, .ret = ret };

	lookup.whole = lookup.name != name ? name : NULL;
	if (unit)
		return look_in(&lookup, unit, "", 0);
	dw_index_with_name(file, lookup.name, DW_NAMES_TYPES, look_in_unit, &lookup);
	if (!lookup.is_found)
		look_for_instance(&lookup);
	// The index has only the first type of each last name: "b::Point" may stand in a unit that it does not know.
	for (size_t i = 0; (lookup.whole || lookup.is_template) && !lookup.is_found && i < dw_units_count(file); i++)
		look_in_unit(&lookup, i);
	return lookup.is_found || (file->alt_dwarf && look_in_alt(&lookup)) || dw_units_split_types(file, look_in_type, &lookup);
}
