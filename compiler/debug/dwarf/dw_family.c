// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_family.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_line.h"

#include "runtime/base/hash.h"

#include <dwarf.h>
#include <stdlib.h>

struct dw_families {
	struct sp_hash by_scope; // struct dw_family by Dwarf_Die.addr
};

struct dw_family *dw_family_of(struct dw_file *file, const Dwarf_Die *abstract)
{
	if (!file->families)
		file->families = sp_calloc(1, sizeof(*file->families));
	void **slot = sp_hash_insert(&file->families->by_scope, &abstract->addr, sizeof(abstract->addr));
	if (!*slot)
		*slot = sp_arena_new(&file->of_share, struct dw_family);
	return *slot;
}

bool dw_family_origin(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, ret);
}

bool dw_family_is_part(struct dw_file *file, Dwarf_Die *instance, Dwarf_Die *caller)
{
	const char *called_in, *declared_in;
	unsigned call_line, decl_line;
	Dwarf_Die origin;

	if (!dw_family_origin(instance, &origin) || !dw_spot_is(dw_attr_called(instance), dw_attr_declared(&origin)))
		return false;
	if (!sp_streq(dw_attr_name(&origin), dw_attr_name(caller)) && dw_spot_is(dw_attr_declared(caller), dw_attr_declared(&origin)))
		return false;
	dw_line_call(file, instance, &called_in, &call_line);
	dw_line_decl(file, &origin, &declared_in, &decl_line);
	return called_in && declared_in && sp_streq(called_in, declared_in);
}

static bool is_of_use(unsigned tag)
{
	switch (tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	default:
		return false;
	}
}

void dw_children_read(Dwarf_Die *scope, struct dw_children *ret)
{
	Dwarf_Die child, origin;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);
		if (!is_of_use(tag))
			continue;
		bool has_origin = dw_family_origin(&child, &origin);
		sp_vec_push(&ret->list, (struct dw_child){ child, tag, has_origin ? origin.addr : NULL, NULL });
	}
}

const struct dw_children *dw_children_of(struct dw_file *file, Dwarf_Die *abstract)
{
	struct dw_family *family = dw_family_of(file, abstract);

	if (family->has_children)
		return &family->children;
	family->has_children = true;
	dw_children_read(abstract, &family->children);
	sp_vec_each(child, &family->children.list)
		child->name = dwarf_diename(&child->die);
	// Of a kernel's functions most have a few, and all are kept.
	if (family->children.list.n) {
		family->children.list.cap = family->children.list.n;
		family->children.list.v = sp_realloc(family->children.list.v, family->children.list.n * sizeof(struct dw_child));
	}
	return &family->children;
}

void dw_families_destroy(struct dw_families *families)
{
	if (!families)
		return;
	sp_hash_each(entry, &families->by_scope) {
		struct dw_family *family = entry->value;
		sp_vec_deinit(&family->children.list);
	}
	sp_hash_deinit(&families->by_scope);
	free(families);
}
