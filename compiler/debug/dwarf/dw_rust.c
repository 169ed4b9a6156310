// SPDX-License-Identifier: GPL-2.0-or-later
// A value of one number is in rax or xmm0, and one of two numbers is in two registers, however small they are: Option<u8> is in al and dl. What
// else has 8 bytes at most is in rax as it is in memory. A structure in a structure may be one number of rustc's or, with #[repr(C)], bytes.
#include "compiler/debug/dwarf/dw_rust.h"

#include "compiler/debug/dbg.h"
#include "compiler/debug/dwarf/dw_scope.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 16
#define FIRST_WITH_LLVM_17 73 // 1.73

bool dw_rust_has_convention(const struct dbg_func *func)
{
	struct dw_scope *scope = func->scope;
	const char *name = func->linkage_name;

	return name && (sp_starts_with(name, "_ZN") || sp_starts_with(name, "_R")) && dwarf_srclang(&scope->unit) == DW_LANG_Rust;
}

bool dw_rust_tells_changes(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));
	const char *minor = producer ? strstr(producer, "rustc version 1.") : NULL;

	return !minor || atoi(minor + strlen("rustc version 1.")) >= FIRST_WITH_LLVM_17;
}

// ---- what a type is made of --------------------------------------------------------------------------------------------

struct number {
	uint64_t off, size;
	bool is_float, is_signed;
	enum c_kind kind;
};

static bool is_number(const struct c_type *type)
{
	return type->kind == C_INT || type->kind == C_ENUM || type->kind == C_POINTER || (type->kind == C_FLOAT && (type->size == 4 || type->size == 8));
}

static struct number number_of(const struct c_member *member)
{
	const struct c_type *type = c_type_strip(member->type);

	return (struct number){ member->bit_off / 8, type->size, type->kind == C_FLOAT, type->is_signed, type->kind };
}

// How many members have a size, and the first two of them.
static unsigned sized_members(const struct c_type *whole, const struct c_member *ret[2])
{
	unsigned n = 0;

	for (unsigned i = 0; i < whole->n_members; i++) {
		const struct c_type *type = c_type_strip(whole->members[i].type);

		if (!type || !type->size)
			continue;
		if (n < 2)
			ret[n] = &whole->members[i];
		n++;
	}
	return n;
}

// ---- registers ---------------------------------------------------------------------------------------------------------

static const struct loc *in_rax(const struct dw_file *file, struct sp_arena *arena)
{
	return dw_loc_reg(arena, file->abi->return_dwarf);
}

static const struct loc *one_number(const struct dw_file *file, struct sp_arena *arena, const struct c_type *type)
{
	static const int wide[] = { 0, 1 }; // rax, rdx

	if (type->kind == C_FLOAT)
		return dw_loc_reg(arena, file->abi->banks[0].dwarf);
	if (type->size > 16)
		return NULL;
	return type->size > 8 ? dw_loc_regs(arena, wide, 2, 8, type->size) : in_rax(file, arena);
}

// Two numbers, one behind the other as they are aligned.
static const struct loc *two_numbers(const struct dw_file *file, struct sp_arena *arena, struct number a, struct number b, uint64_t size)
{
	uint64_t align = SP_MAX(a.size, b.size);
	struct loc_piece pieces[2];

	if (a.off || b.off != SP_ALIGN_UP(a.size, b.size) || size != SP_ALIGN_UP(b.off + b.size, align) || align > 8)
		return NULL;
	pieces[0] = *dw_loc_reg(arena, a.is_float ? file->abi->banks[0].dwarf : 0)->pieces; // xmm0 or rax
	pieces[0].bit_size = (uint32_t)a.size * 8;
	pieces[1] = *dw_loc_reg(arena, b.is_float ? file->abi->banks[0].dwarf + a.is_float : !a.is_float)->pieces; // xmm1 or xmm0, rdx or rax
	pieces[1].bit_size = (uint32_t)b.size * 8;
	return dw_loc_with_gaps(arena, pieces, (const uint64_t[]){ a.off, b.off }, 2, size);
}

// ------------------------------------------------------------------------------------------------------------------------

static const struct loc *locate(const struct dw_file *file, struct sp_arena *arena, const struct c_type *type, int depth);
static const struct loc *locate_members(const struct dw_file *file, struct sp_arena *arena, const struct c_type *whole, bool may_be_c, int depth);

static bool is_in_rax(const struct dw_file *file, const struct loc *loc)
{
	return loc && dw_loc_is_reg(loc, file->abi->return_dwarf);
}

struct variants {
	struct number tag, value; // value: the number that variants have, all at one place
	const struct c_type *only; // the last one with anything in it
	unsigned n_sized; // with anything in them
	bool is_one_value; // each of those has that number alone
};

static void add_variant(struct variants *v, const struct c_type *variant)
{
	const struct c_member *in[2];
	unsigned n = sized_members(variant, in);
	struct number it;

	if (!n)
		return;
	v->only = variant;
	v->n_sized++;
	if (n > 1 || !is_number(c_type_strip(in[0]->type))) {
		v->is_one_value = false;
		return;
	}
	it = number_of(in[0]);
	// Older ones make a difference between i8 and u8.
	v->is_one_value &= v->n_sized == 1 || (it.off == v->value.off && it.size == v->value.size && it.kind == v->value.kind &&
					       it.is_signed == v->value.is_signed);
	v->value = it;
}

// Of an enumeration the tag and what the variants have at one place. The tag of Option<&T> and the like is a value of the reference that it
// cannot have, in the only variant with anything in it.
static const struct loc *locate_variants(const struct dw_file *file, struct sp_arena *arena, const struct c_type *whole, int depth)
{
	struct variants v = { .is_one_value = true };

	for (unsigned i = 0; i < whole->n_members; i++) {
		const struct c_member *member = &whole->members[i];
		const struct c_type *variant = dbg_complete_type(c_type_strip(member->type));

		if (member->presence == C_DISCRIMINANT)
			v.tag = number_of(member);
		else if (member->presence == C_ALWAYS || !variant || member->bit_off)
			return NULL;
		else
			add_variant(&v, variant);
	}
	if (v.n_sized && v.is_one_value && v.value.off >= v.tag.off + v.tag.size)
		return two_numbers(file, arena, v.tag, v.value, whole->size);
	if (v.n_sized != 1 || v.only->size != whole->size || (v.is_one_value && v.value.off != v.tag.off))
		return NULL;
	return locate_members(file, arena, v.only, false, depth + 1);
}

// `may_be_c`: it may have #[repr(C)].
static const struct loc *locate_members(const struct dw_file *file, struct sp_arena *arena, const struct c_type *whole, bool may_be_c, int depth)
{
	const struct c_member *in[2];
	unsigned n = sized_members(whole, in);

	if (n == 1) {
		const struct c_type *inner = c_type_strip(in[0]->type);
		const struct loc *loc = inner->size == whole->size ? locate(file, arena, inner, depth + 1) : NULL;

		return !may_be_c || is_in_rax(file, loc) ? loc : NULL;
	}
	if (n == 2 && is_number(c_type_strip(in[0]->type)) && is_number(c_type_strip(in[1]->type))) {
		bool is_first = in[0]->bit_off < in[1]->bit_off;
		return two_numbers(file, arena, number_of(in[!is_first]), number_of(in[is_first]), whole->size);
	}
	if (n == 2 && c_type_strip(in[0]->type)->kind != C_ARRAY && c_type_strip(in[1]->type)->kind != C_ARRAY)
		return NULL;
	return n && whole->size <= 8 ? in_rax(file, arena) : NULL;
}

static const struct loc *locate(const struct dw_file *file, struct sp_arena *arena, const struct c_type *type, int depth)
{
	const struct c_type *whole;

	type = c_type_strip(type);
	if (!type || !type->size || depth > MAX_DEPTH)
		return NULL;
	if (is_number(type))
		return one_number(file, arena, type);
	if (type->kind == C_ARRAY)
		return type->size <= 8 ? in_rax(file, arena) : NULL;
	whole = type->kind == C_STRUCT ? dbg_complete_type(type) : NULL;
	if (!whole)
		return NULL;
	for (unsigned i = 0; i < whole->n_members; i++)
		if (whole->members[i].presence == C_DISCRIMINANT)
			return locate_variants(file, arena, whole, depth);
	return locate_members(file, arena, whole, !whole->name || whole->name[0] != '(', depth); // no tuple has
}

const struct loc *dw_rust_result(const struct dw_file *file, struct sp_arena *arena, const struct c_type *type)
{
	type = c_type_strip(type);
	if (file->abi->elf_machine != EM_X86_64)
		return type && is_number(type) && type->kind != C_FLOAT && type->size <= file->abi->word_size ? in_rax(file, arena) : NULL;
	return locate(file, arena, type, 0);
}
