// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/show_type.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"

#define MAX_DEPTH 32 // of anonymous members

static bool has_members(const struct c_type *type)
{
	return type && (type->kind == C_STRUCT || type->kind == C_UNION);
}

static uint64_t size_of(const struct c_type *type)
{
	const struct c_type *plain = c_type_strip(type);
	const struct c_type *whole = plain && has_members(plain) ? dbg_complete_type(plain) : plain;

	if (whole && whole->kind == C_ARRAY && !whole->size)
		return whole->count * size_of(whole->target);
	return whole ? whole->size : 0;
}

// The size of a member in bits.
static uint64_t bits_of(const struct c_member *member)
{
	return member->bit_size ? member->bit_size : size_of(member->type) * 8;
}

static void print_offset(struct sp_buf *out, uint64_t bit_off, uint64_t bits, bool is_field)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf at = { 0 }, size = { 0 };

	sp_buf_printf(&at, "%llu", (unsigned long long)(bit_off / 8));
	if (is_field)
		sp_buf_printf(&at, ":%llu", (unsigned long long)(bit_off % 8));
	sp_buf_printf(&size, is_field ? "%llub" : "%llu", (unsigned long long)(is_field ? bits : bits / 8));
	sp_buf_printf(out, "%8s %6s  ", sp_buf_str(&at), sp_buf_str(&size));
}

static void print_hole(struct sp_buf *out, uint64_t from, uint64_t to, unsigned depth)
{
	bool is_field = from % 8 || to % 8;

	print_offset(out, from, to - from, is_field);
	sp_buf_fill(out, ' ', depth * 2);
	sp_buf_puts(out, "(hole)\n");
}

// Prints the members; those of an anonymous structure or union are indented below it.
static void print_members(struct sp_buf *out, const struct c_type *type, uint64_t base, unsigned depth)
{
	bool is_struct = type->kind == C_STRUCT;
	uint64_t end = base;

	for (unsigned i = 0; i < type->n_members; i++) {
		const struct c_member *member = &type->members[i];
		const struct c_type *plain = c_type_strip(member->type);
		uint64_t at = base + member->bit_off, bits = bits_of(member);

		if (is_struct && at > end)
			print_hole(out, end, at, depth);
		print_offset(out, at, bits, member->bit_size != 0);
		sp_buf_fill(out, ' ', depth * 2);
		if (member->name) {
			sp_buf_printf(out, "%s:", member->name);
			c_type_print(out, member->type);
		} else {
			sp_buf_puts(out, plain && plain->kind == C_UNION ? "union" : "struct");
		}
		sp_buf_putc(out, '\n');
		if (!member->name && has_members(plain) && depth < MAX_DEPTH && dbg_complete_type(plain))
			print_members(out, dbg_complete_type(plain), at, depth + 1);
		end = SP_MAX(end, at + bits);
	}
	if (is_struct && type->n_members && end < base + type->size * 8)
		print_hole(out, end, base + type->size * 8, depth);
}

void show_type_text(struct sp_buf *out, const struct c_type *type)
{
	const struct c_type *plain = c_type_strip(type), *whole;

	c_type_print(out, type);
	if (type->kind == C_TYPEDEF) {
		sp_buf_puts(out, " = ");
		if (type->target)
			c_type_print(out, type->target);
		else
			sp_buf_puts(out, "void");
	}
	whole = plain ? dbg_complete_type(plain) : NULL;
	if (!whole) {
		sp_buf_puts(out, plain ? ": only declared\n" : "\n");
		return;
	}
	sp_buf_printf(out, ": %llu byte%s\n", (unsigned long long)whole->size, whole->size == 1 ? "" : "s");
	if (has_members(whole))
		print_members(out, whole, 0, 0);
	for (unsigned i = 0; i < whole->n_enumerators; i++)
		sp_buf_printf(out, "%15lld  %s\n", (long long)whole->enumerators[i].value, whole->enumerators[i].name);
}

static void print_json_members(struct sp_buf *out, const struct c_type *type, unsigned depth)
{
	sp_json_begin(out, "members", '[');
	for (unsigned i = 0; i < type->n_members; i++) {
		const struct c_member *member = &type->members[i];
		const struct c_type *plain = c_type_strip(member->type);
		sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

		c_type_print(&text, member->type);
		sp_json_begin(out, NULL, '{');
		sp_json_text(out, "name", member->name);
		sp_json_text(out, "type", sp_buf_str(&text));
		sp_json_number(out, "bit_offset", (int64_t)member->bit_off);
		sp_json_number(out, "bits", (int64_t)bits_of(member));
		if (!member->name && has_members(plain) && depth < MAX_DEPTH && dbg_complete_type(plain))
			print_json_members(out, dbg_complete_type(plain), depth + 1);
		sp_json_end(out, '}');
	}
	sp_json_end(out, ']');
}

void show_type_json(struct sp_buf *out, const struct c_type *type)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	const struct c_type *plain = c_type_strip(type), *whole = plain ? dbg_complete_type(plain) : NULL;

	c_type_print(&name, type);
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", sp_buf_str(&name));
	if (whole)
		sp_json_number(out, "size", (int64_t)whole->size);
	if (whole && has_members(whole))
		print_json_members(out, whole, 0);
	if (whole && whole->kind == C_ENUM) {
		sp_json_begin(out, "enumerators", '{');
		for (unsigned i = 0; i < whole->n_enumerators; i++)
			sp_json_number(out, whole->enumerators[i].name, whole->enumerators[i].value);
		sp_json_end(out, '}');
	}
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}
