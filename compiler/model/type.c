// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/type.h"

// Real code nests anonymous members and qualifiers a handful deep; what is deeper is a cycle in broken debug
// information.
#define MAX_DEPTH 64
#define MAX_VISITS 10000

static bool is_transparent(enum c_kind kind)
{
	switch (kind) {
	case C_TYPEDEF:
	case C_CONST:
	case C_VOLATILE:
	case C_RESTRICT:
	case C_ATOMIC:
		return true;
	case C_VOID:
	case C_INT:
	case C_FLOAT:
	case C_ENUM:
	case C_POINTER:
	case C_ARRAY:
	case C_STRUCT:
	case C_UNION:
	case C_FUNC:
	case C_UNKNOWN:
		return false;
	}
	return false;
}

const struct c_type *c_type_strip(const struct c_type *type)
{
	for (int depth = 0; type && is_transparent(type->kind) && depth < MAX_DEPTH; depth++)
		type = type->target;
	return type && type->kind == C_VOID ? NULL : type;
}

static void print_tagged(struct sp_buf *out, const char *tag, const struct c_type *type)
{
	sp_buf_printf(out, "%s %s", tag, type->name ? type->name : "{...}");
}

// Qualifiers come behind what they qualify, so that "char const*" and "char* const" read alike and need no
// parentheses.
static void print_type(struct sp_buf *out, const struct c_type *type, int depth)
{
	if (!type || depth > MAX_DEPTH) {
		sp_buf_puts(out, type ? "..." : "void");
		return;
	}
	switch (type->kind) {
	case C_VOID:
		sp_buf_puts(out, "void");
		break;
	case C_INT:
	case C_FLOAT:
	case C_TYPEDEF:
	case C_UNKNOWN:
		sp_buf_puts(out, type->name ? type->name : "?");
		break;
	case C_ENUM:
		print_tagged(out, "enum", type);
		break;
	case C_STRUCT:
		print_tagged(out, "struct", type);
		break;
	case C_UNION:
		print_tagged(out, "union", type);
		break;
	case C_FUNC:
		sp_buf_puts(out, "func");
		break;
	case C_POINTER:
		print_type(out, type->target, depth + 1);
		sp_buf_putc(out, '*');
		break;
	case C_ARRAY: {
		const struct c_type *element = type;
		while (element && element->kind == C_ARRAY && depth++ < MAX_DEPTH)
			element = element->target;
		print_type(out, element, depth + 1);
		for (const struct c_type *dim = type; dim != element; dim = dim->target) {
			if (dim->count)
				sp_buf_printf(out, "[%llu]", (unsigned long long)dim->count);
			else
				sp_buf_puts(out, "[]");
		}
		break;
	}
	case C_CONST:
		print_type(out, type->target, depth + 1);
		sp_buf_puts(out, " const");
		break;
	case C_VOLATILE:
		print_type(out, type->target, depth + 1);
		sp_buf_puts(out, " volatile");
		break;
	case C_RESTRICT:
		print_type(out, type->target, depth + 1);
		sp_buf_puts(out, " restrict");
		break;
	case C_ATOMIC:
		print_type(out, type->target, depth + 1);
		sp_buf_puts(out, " _Atomic");
		break;
	}
}

void c_type_print(struct sp_buf *out, const struct c_type *type)
{
	print_type(out, type, 0);
}

bool c_type_is_scalar(const struct c_type *type)
{
	type = c_type_strip(type);
	if (!type)
		return false;
	return type->kind == C_POINTER ||
	       ((type->kind == C_INT || type->kind == C_ENUM) && type->size <= 8);
}

bool c_type_is_string(const struct c_type *type)
{
	type = c_type_strip(type);
	if (!type || (type->kind != C_POINTER && type->kind != C_ARRAY))
		return false;
	const struct c_type *element = c_type_strip(type->target);
	return element && element->kind == C_INT && element->is_char;
}

static const struct c_member *find_member(const struct c_type *type, const char *name, uint64_t *bit_off_ret, int depth,
					  unsigned *n_visits)
{
	type = c_type_strip(type);
	if (!type || (type->kind != C_STRUCT && type->kind != C_UNION) || depth > MAX_DEPTH)
		return NULL;
	if (++*n_visits > MAX_VISITS)
		return NULL;
	for (unsigned i = 0; i < type->n_members; i++) {
		const struct c_member *member = &type->members[i];
		if (member->name && sp_streq(member->name, name)) {
			*bit_off_ret = member->bit_off;
			return member;
		}
	}
	for (unsigned i = 0; i < type->n_members; i++) {
		const struct c_member *member = &type->members[i];
		uint64_t inner_off;
		const struct c_member *found;
		if (member->name || !(found = find_member(member->type, name, &inner_off, depth + 1, n_visits)))
			continue;
		*bit_off_ret = member->bit_off + inner_off;
		return found;
	}
	return NULL;
}

const struct c_member *c_type_member(const struct c_type *type, const char *name, uint64_t *bit_off_ret)
{
	unsigned n_visits = 0;
	return find_member(type, name, bit_off_ret, 0, &n_visits);
}
