// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_complex.h"

// The type of the two numbers of a _Complex one; false: their sign is not told, as that of integers other than gcc's "complex int".
static bool part_of(const struct c_type *whole, bool is_float, struct c_type *ret)
{
	static const char prefix[] = "complex ";
	bool is_named = whole->name && sp_starts_with(whole->name, prefix);
	const char *name = is_named ? whole->name + strlen(prefix) : whole->name;

	*ret = (struct c_type){ .kind = is_float ? C_FLOAT : C_INT, .size = whole->size / 2, .is_signed = true, .is_complete = true };
	ret->name = !is_float || ret->size > 8 ? name : ret->size == 8 ? "double" : "float";
	return whole->name && (is_float || (is_named && sp_streq(name, "int")));
}

void dw_complex_fill(struct sp_arena *arena, struct c_type *type, bool is_float)
{
	struct c_type part;

	type->kind = C_UNKNOWN;
	if (!part_of(type, is_float, &part))
		return;
	type->kind = C_STRUCT;
	type->is_complex = true;
	type->n_members = 2;
	type->members = sp_arena_array(arena, struct c_member, 2);
	type->members[0] = (struct c_member){ .name = "real", .type = sp_arena_memdup(arena, &part, sizeof(part)) };
	type->members[1] = (struct c_member){ .name = "imag", .type = type->members[0].type, .bit_off = part.size * 8 };
}
