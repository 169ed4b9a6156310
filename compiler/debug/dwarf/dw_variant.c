// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_variant.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "runtime/base/vec.h"

#include <dwarf.h>

#define MAX_VARIANTS 65536

// The name of a variant, which is that of its member.
static const char *variant_name(Dwarf_Die *variant)
{
	Dwarf_Die child;

	for (int status = dwarf_child(variant, &child); status == 0; status = dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_member)
			return dwarf_diename(&child);
	return NULL;
}

const struct c_type *dw_enum_of_variants(struct dw_file *file, Dwarf_Die *part, const struct c_type *number)
{
	const struct c_type *bare = c_type_strip(number);
	SP_VEC(struct c_enumerator) names = { 0 };
	struct c_type *type;
	bool has_lists = false; // ranges of numbers, as compilers of Ada write them
	Dwarf_Die child;

	for (int status = dwarf_child(part, &child); status == 0 && names.n < MAX_VARIANTS; status = dwarf_siblingof(&child, &child)) {
		uint64_t value;
		const char *name = dwarf_tag(&child) == DW_TAG_variant ? variant_name(&child) : NULL;
		has_lists |= dwarf_hasattr(&child, DW_AT_discr_list);
		if (name && dw_attr_number(&child, DW_AT_discr_value, &value))
			sp_vec_push(&names, (struct c_enumerator){ .name = name, .value = (int64_t)value });
	}
	if (!bare || bare->kind != C_INT || bare->size > 8 || !names.n || has_lists) {
		sp_vec_deinit(&names);
		return number;
	}
	type = sp_arena_new(&file->arena, struct c_type);
	*type = (struct c_type){ .kind = C_ENUM, .name = bare->name, .size = bare->size, .is_signed = bare->is_signed, .is_complete = true };
	type->enumerators = sp_arena_memdup(&file->arena, names.v, names.n * sizeof(*names.v));
	type->n_enumerators = (unsigned)names.n;
	sp_vec_deinit(&names);
	return type;
}
