// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/text_object.h"

#include "compiler/debug/dbg.h"
#include "runtime/base/util.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 16

// Where the pointer is, and the length. A `*` is the first member, and its first, and so on.
static const struct {
	const char *type; // the name; with a comma, what it begins with
	const char *pointer, *length;
} texts[] = {
	{ "basic_string<char,", "_M_dataplus._M_p", "_M_string_length" }, // std::string of libstdc++
	{ "basic_string_view<char,", "_M_str", "_M_len" },
	{ "string", "str", "len" }, // Go
	{ "&str", "data_ptr", "length" }, // Rust
	{ "&mut str", "data_ptr", "length" },
	{ "Box<str,", "data_ptr", "length" },
	{ "String", "vec.buf.*", "vec.len" },
};

// Rust has its pointers in structures of one member that matters, which comes first.
static const struct c_type *first_of_all(const struct c_type *type, uint64_t *bit_off)
{
	for (unsigned depth = 0; depth < MAX_DEPTH && type && type->kind == C_STRUCT; depth++) {
		type = dbg_complete_type(type);
		if (!type || !type->n_members)
			return NULL;
		*bit_off += type->members[0].bit_off;
		type = c_type_strip(type->members[0].type);
	}
	return type;
}

// The type of a member of a member, as in "vec.len". NULL: there is none.
static const struct c_type *find_inner(const struct c_type *type, const char *names, uint64_t *bit_off)
{
	const char *end = strchr(names, '.');
	char name[32];
	const struct c_member *member;
	uint64_t member_off;

	if (sp_streq(names, "*"))
		return first_of_all(type, bit_off);
	snprintf(name, sizeof(name), "%.*s", end ? (int)(end - names) : (int)strlen(names), names);
	type = type && type->kind == C_STRUCT ? dbg_complete_type(type) : NULL;
	member = type ? c_type_member(type, name, &member_off) : NULL;
	if (!member)
		return NULL;
	*bit_off += member_off;
	type = c_type_strip(member->type);
	return end ? find_inner(type, end + 1, bit_off) : type;
}

bool text_object_find(const struct c_type *type, struct text_object *ret)
{
	type = c_type_strip(type);
	for (unsigned i = 0; i < SP_ARRAY_SIZE(texts) && type && type->kind == C_STRUCT && type->name; i++) {
		const struct c_type *target;

		if (!sp_streq(type->name, texts[i].type) && !(strchr(texts[i].type, ',') && sp_starts_with(type->name, texts[i].type)))
			continue;
		*ret = (struct text_object){ 0 };
		ret->pointer = find_inner(type, texts[i].pointer, &ret->pointer_off);
		ret->length = find_inner(type, texts[i].length, &ret->length_off);
		target = ret->pointer && ret->pointer->kind == C_POINTER ? c_type_strip(ret->pointer->target) : NULL;
		if (target && target->size == 1 && ret->length && ret->length->kind == C_INT && ret->length->size <= 8)
			return true;
	}
	return false;
}
