// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_member.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_type.h"
#include "compiler/debug/dwarf/dw_variant.h"
#include "compiler/debug/dwarf/dw_virtual_base.h"

#include "runtime/base/vec.h"

#include <dwarf.h>

// Offset of a member's storage in bytes; false: it is not constant.
static bool member_offset(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	*ret = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
		return true; // members of unions
	if (dwarf_whatform(&attr) != DW_FORM_exprloc && dwarf_formudata(&attr, ret) == 0)
		return true;
	if (dwarf_getlocation(&attr, &ops, &n) != 0 || n != 1)
		return false;
	if (ops[0].atom != DW_OP_plus_uconst && ops[0].atom != DW_OP_constu)
		return false;
	*ret = ops[0].number;
	return true;
}

// Positions of bit-fields: DW_AT_data_bit_offset counts like we do; DW_AT_bit_offset (DWARF 2 and 3) counts from the
// most significant bit of the storage unit (DWARF 4 section 5.5.6).
static bool fill_member(struct dw_file *file, Dwarf_Die *die, struct c_member *member)
{
	uint64_t offset, bits;

	if (!member_offset(die, &offset))
		return false;
	member->type = dw_type_ref(file, die);
	if (dwarf_tag(die) == DW_TAG_member)
		member->name = dwarf_diename(die);
	member->is_embedded = dw_attr_flag(die, DW_AT_GO_EMBEDDED_FIELD);
	member->bit_off = offset * 8;
	member->bit_size = dw_attr_number_or(die, DW_AT_bit_size, 0);
	if (dw_attr_number(die, DW_AT_data_bit_offset, &bits)) {
		member->bit_off = offset * 8 + bits;
	} else if (member->bit_size && dw_attr_number(die, DW_AT_bit_offset, &bits)) {
		uint64_t storage = dw_attr_number_or(die, DW_AT_byte_size, (member->type ? member->type->size : 0)) * 8;
		if (bits + member->bit_size > storage)
			return false;
		member->bit_off += storage - bits - member->bit_size;
	}
	return member->bit_size <= 64;
}

struct members {
	SP_VEC(struct c_member) list;
	SP_VEC(struct c_virtual_base) virtual_bases;
};

// The variants of a Rust enumeration, which lie over each other, are members by their names, "Some", and the number that tells which
// of them is there is the member "__discr". `presence`: of the members of `die`.
static void read_members(struct dw_file *file, Dwarf_Die *die, int depth, enum c_presence presence, struct members *ret)
{
	bool is_told = false;
	Dwarf_Die child;

	for (int status = dwarf_child(die, &child); status == 0 && ret->list.n < DW_MAX_MEMBERS;
	     status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);
		struct c_member member = { 0 };
		struct c_virtual_base base;
		if ((tag == DW_TAG_variant_part || tag == DW_TAG_variant) && depth < 2)
			read_members(file, &child, depth + 1, !is_told ? C_ALWAYS : dwarf_hasattr(&child, DW_AT_discr_value) ?
				     C_WHEN_NAMED : C_WHEN_UNNAMED, ret);
		// A base class is like an anonymous member; a static member has no place in the object.
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (dw_attr_flag(&child, DW_AT_external) || dw_attr_flag(&child, DW_AT_declaration))
			continue;
		if (ret->virtual_bases.n < DW_MAX_MEMBERS && dw_virtual_base_slot(&child, &base.slot)) {
			base.type = dw_type_ref(file, &child);
			sp_vec_push(&ret->virtual_bases, base);
			continue;
		}
		if (!fill_member(file, &child, &member))
			continue;
		member.presence = presence;
		if (!member.name && dwarf_tag(die) == DW_TAG_variant_part) {
			const struct c_type *names = dw_enum_of_variants(file, die, member.type);
			is_told = names != member.type;
			member = (struct c_member){ "__discr", names, member.bit_off, member.bit_size, is_told ? C_DISCRIMINANT : C_ALWAYS, false };
		}
		sp_vec_push(&ret->list, member);
	}
}

void dw_members_load(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	struct members members = { 0 };

	read_members(file, die, 0, C_ALWAYS, &members);
	type->members = sp_arena_memdup(&file->arena, members.list.v, members.list.n * sizeof(*members.list.v));
	type->n_members = members.list.n;
	type->virtual_bases = sp_arena_memdup(&file->arena, members.virtual_bases.v, members.virtual_bases.n * sizeof(*members.virtual_bases.v));
	type->n_virtual_bases = members.virtual_bases.n;
	sp_vec_deinit(&members.list);
	sp_vec_deinit(&members.virtual_bases);
}

void dw_members_load_enumerators(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	SP_VEC(struct c_enumerator) values = { 0 };
	Dwarf_Die child;

	for (int status = dwarf_child(die, &child); status == 0 && values.n < DW_MAX_MEMBERS;
	     status = dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute attr;
		Dwarf_Sword svalue = 0;
		Dwarf_Word uvalue = 0;
		if (dwarf_tag(&child) != DW_TAG_enumerator || !dwarf_attr(&child, DW_AT_const_value, &attr))
			continue;
		// DW_FORM_data1 and so on carry no sign: the type decides.
		if (!type->is_signed && dwarf_formudata(&attr, &uvalue) == 0)
			svalue = (Dwarf_Sword)uvalue;
		else if (dwarf_formsdata(&attr, &svalue) != 0)
			continue;
		if (*dw_attr_name(&child))
			sp_vec_push(&values, (struct c_enumerator){ .name = dw_attr_name(&child), .value = svalue });
	}
	type->enumerators = sp_arena_memdup(&file->arena, values.v, values.n * sizeof(*values.v));
	type->n_enumerators = values.n;
	sp_vec_deinit(&values);
}
