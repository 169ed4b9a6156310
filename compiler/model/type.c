// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/type.h"

// Real code nests anonymous members and qualifiers a handful deep; what is deeper is a cycle in broken debug
// information.
#define MAX_DEPTH 64
#define MAX_VISITS 10000
#define MAX_TEXT 2000

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

// Broken debug information can nest functions in functions: a text may not grow without end.
struct printer {
	struct sp_buf *out;
	size_t limit; // of out->len
	bool is_plain; // as C has it
};

static void print_type(const struct printer *p, const struct c_type *type, int depth);

static void print_tagged(const struct printer *p, const char *tag, const struct c_type *type)
{
	sp_buf_printf(p->out, "%s %s", tag, type->name ? type->name : "{...}");
}

static void print_name(const struct printer *p, const struct c_type *type)
{
	switch (type->kind) {
	case C_VOID:
		sp_buf_puts(p->out, "void");
		break;
	case C_ENUM:
		print_tagged(p, "enum", type);
		break;
	case C_STRUCT:
		if (type->is_complex)
			sp_buf_puts(p->out, type->name);
		else
			print_tagged(p, type->is_class && !p->is_plain ? "class" : "struct", type);
		break;
	case C_UNION:
		print_tagged(p, "union", type);
		break;
	case C_INT:
	case C_FLOAT:
	case C_TYPEDEF:
	case C_UNKNOWN:
	case C_POINTER:
	case C_ARRAY:
	case C_FUNC:
	case C_CONST:
	case C_VOLATILE:
	case C_RESTRICT:
	case C_ATOMIC:
		sp_buf_puts(p->out, type->name ? type->name : "?");
		break;
	}
}

static bool is_declarator(const struct c_type *type)
{
	return type->kind == C_POINTER || type->kind == C_ARRAY || type->of_class ||
	       (is_transparent(type->kind) && type->kind != C_TYPEDEF);
}

// Pointers, arrays and qualifiers from `type` down to `base`. They come behind what they apply to, so that
// "char const*" and "char* const" read alike and need no parentheses; but the dimensions of an array of arrays come in
// the order of C.
static void print_declarators(const struct printer *p, const struct c_type *type, const struct c_type *base)
{
	struct sp_buf *out = p->out;
	const struct c_type *rest = type;

	if (type == base)
		return;
	do
		rest = rest->target;
	while (type->kind == C_ARRAY && rest != base && rest->kind == C_ARRAY);
	print_declarators(p, rest, base);
	for (; type != rest; type = type->target) {
		if (type->of_class)
			sp_buf_printf(out, "%s%s::*", out->data[out->len - 1] == '(' ? "" : " ", type->of_class);
		else if (type->kind == C_POINTER)
			sp_buf_puts(out, !type->is_reference || p->is_plain ? "*" : type->is_rvalue ? "&&" : "&");
		else if (type->kind == C_ARRAY && type->count)
			sp_buf_printf(out, "[%llu]", (unsigned long long)type->count);
		else
			sp_buf_puts(out, type->kind == C_ARRAY	   ? "[]"
					 : type->kind == C_CONST    ? " const"
					 : type->kind == C_VOLATILE ? " volatile"
					 : type->kind == C_RESTRICT ? " restrict"
								    : " _Atomic");
	}
}

static void print_params(const struct printer *p, const struct c_type *func, int depth)
{
	sp_buf_puts(p->out, " (");
	for (unsigned i = 0; i < func->n_members && p->out->len < p->limit; i++) {
		sp_buf_puts(p->out, i ? ", " : "");
		print_type(p, func->members[i].type, depth + 1);
	}
	if (func->is_variadic)
		sp_buf_puts(p->out, func->n_members ? ", ..." : "...");
	else if (func->n_members == 0)
		sp_buf_puts(p->out, "void");
	sp_buf_putc(p->out, ')');
}

static void print_type(const struct printer *p, const struct c_type *type, int depth)
{
	const struct c_type *base = type;
	int n = 0;

	for (; base && is_declarator(base) && n < MAX_DEPTH; n++)
		base = base->target;
	if (n == MAX_DEPTH || depth == MAX_DEPTH || p->out->len >= p->limit) {
		sp_buf_puts(p->out, "...");
		return;
	}
	if (!base) {
		sp_buf_puts(p->out, "void");
	} else if (base->kind == C_FUNC) {
		print_type(p, base->target, depth + 1);
		if (type != base) {
			sp_buf_puts(p->out, " (");
			print_declarators(p, type, base);
			sp_buf_putc(p->out, ')');
		}
		print_params(p, base, depth);
		return;
	} else {
		print_name(p, base);
	}
	print_declarators(p, type, base);
}

void c_type_print(struct sp_buf *out, const struct c_type *type)
{
	const struct printer p = { .out = out, .limit = out->len + MAX_TEXT };

	print_type(&p, type, 0);
}

void c_type_print_plain(struct sp_buf *out, const struct c_type *type)
{
	const struct printer p = { .out = out, .limit = out->len + MAX_TEXT, .is_plain = true };

	print_type(&p, type, 0);
}

bool c_type_is_flags(const struct c_type *type, uint64_t *bits_ret)
{
	uint64_t bits = 0;

	if (type->kind != C_ENUM || type->of_class || !type->n_enumerators || type->size > 8)
		return false;
	for (unsigned i = 0; i < type->n_enumerators; i++) {
		int64_t value = type->enumerators[i].value;

		if (value < 0 || (value & (value - 1)))
			return false;
		bits |= (uint64_t)value;
	}
	*bits_ret = bits;
	return true;
}

bool c_type_is_long_double(const struct c_type *type)
{
	type = c_type_strip(type);
	return type && type->kind == C_FLOAT && (type->size == 16 || type->size == 12) &&
	       (type->x87_size || (type->name && sp_streq(type->name, "long double")));
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
