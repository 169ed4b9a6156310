// SPDX-License-Identifier: GPL-2.0-or-later
// Types of C: casts, what pointers point to, and sizes. Numbers have 64 bits here, so that a cast to fewer cuts them.
#include "compiler/bpftrace/bt.h"

#include <string.h>

static const struct number_type {
	const char *name, *other, *third;
	unsigned size;
	bool is_signed;
} numbers[] = {
	{ "int8", "s8", "int8_t", 1, true }, { "int16", "s16", "int16_t", 2, true },
	{ "int32", "s32", "int32_t", 4, true }, { "int64", "s64", "int64_t", 8, true },
	{ "uint8", "u8", "uint8_t", 1, false }, { "uint16", "u16", "uint16_t", 2, false },
	{ "uint32", "u32", "uint32_t", 4, false }, { "uint64", "u64", "uint64_t", 8, false },
	{ "char", "signed char", "bool", 1, true }, { "short", "short int", "signed short", 2, true },
	{ "int", "signed", "signed int", 4, true }, { "long", "long int", "long long", 8, true },
	{ "unsigned char", "unsigned char", "u_char", 1, false }, { "unsigned short", "unsigned short int", "u_short", 2, false },
	{ "unsigned int", "unsigned", "u_int", 4, false }, { "unsigned long", "size_t", "unsigned long long", 8, false },
	{ "void", "void", "void", 1, false }, { "ssize_t", "off_t", "loff_t", 8, true },
	{ "pointer", "uintptr_t", "uintptr", 8, false },
};

static const struct number_type *find_number(const char *name)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(numbers); i++)
		if (sp_streq(name, numbers[i].name) || sp_streq(name, numbers[i].other) || sp_streq(name, numbers[i].third))
			return &numbers[i];
	return NULL;
}

static bool is_type_word(const char *name)
{
	static const char *const heads[] = { "struct", "union", "enum", "unsigned", "signed", "const" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(heads); i++)
		if (sp_streq(name, heads[i]))
			return true;
	return find_number(name);
}

// Words of a type and its stars, in front of `)`. Takes them, or nothing.
static struct bt_type type_in_parentheses(struct bt *bt)
{
	size_t start = bt->at;
	struct bt_token open = bt_next(bt), first = bt_next(bt), token;
	struct bt_type ret = { 0 };
	bool is_type = first.kind == BT_NAME && is_type_word(bt_text(bt, &first));
	size_t end;

	while (bt_is(bt->text, &first, "const")) // says nothing of the value
		first = bt_next(bt);
	is_type &= first.kind == BT_NAME;
	token = first;
	end = first.at + first.len;
	for (; token.kind == BT_NAME; token = bt_next(bt))
		end = token.at + token.len;
	is_type |= first.kind == BT_NAME && bt_is(bt->text, &token, "*"); // (size_name_t *)
	for (; bt_is(bt->text, &token, "*"); token = bt_next(bt))
		ret.stars++;
	if (!bt_is(bt->text, &open, "(") || !is_type || !bt_is(bt->text, &token, ")")) {
		bt->at = start;
		return (struct bt_type){ 0 };
	}
	ret.name = sp_arena_strndup(&bt->arena, bt->text + first.at, end - first.at);
	return ret;
}

struct bt_type bt_cast_type(struct bt *bt)
{
	struct bt_token open = bt_peek(bt), next = bt_lex(bt->text, open.at + open.len);

	return bt_is(bt->text, &open, "(") && next.kind == BT_NAME ? type_in_parentheses(bt) : (struct bt_type){ 0 };
}

struct bt_type bt_peek_cast(struct bt *bt)
{
	size_t start = bt->at;
	struct bt_type ret = bt_cast_type(bt);

	bt->at = start;
	return ret;
}

static const char *with_sign(struct bt *bt, const char *value, unsigned bits)
{
	return bits == 64 ? value : sp_arena_printf(&bt->arena, "((%s << %u) >> %u)", value, 64 - bits, 64 - bits);
}

const char *bt_cast(struct bt *bt, const struct bt_type *type, const char *value)
{
	const struct number_type *number = find_number(type->name);
	unsigned bits = number ? 8 * number->size : 0;

	if (bt_pointer_type(bt, value)) // which is of another type from here on
		value = sp_arena_printf(&bt->arena, "(%s)", value);
	if (!number && !sp_starts_with(type->name, "enum "))
		return sp_arena_printf(&bt->arena, "@cast(%s, \"%s\")", value, type->name);
	if (type->stars || bits == 64 || !number)
		return value;
	if (number->is_signed)
		return with_sign(bt, value, bits);
	return sp_arena_printf(&bt->arena, "(%s & 0x%x)", value, bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

// The number at the address, of which elements may stand before.
static const char *number_at(struct bt *bt, const struct number_type *number, const char *address, const char *index)
{
	const char *place = index ? sp_arena_printf(&bt->arena, "%s + %u * (%s)", address, number->size, index) : address;
	const char *value = sp_arena_printf(&bt->arena, "@%cderef(%u, %s)", bt->place.is_user ? 'u' : 'k', number->size, place);

	return number->is_signed ? with_sign(bt, value, 8 * number->size) : value;
}

const char *bt_target(struct bt *bt, const struct bt_type *pointer, const char *address, const char *index)
{
	const struct number_type *number = find_number(pointer->stars > 1 ? "pointer" : pointer->name);

	if (number)
		return number_at(bt, number, address, index);
	return index ? sp_arena_printf(&bt->arena, "%s[%s]", address, index) : address; // of a structure, whose members follow
}

void bt_learn_pointer(struct bt *bt, const char *variable, const struct bt_type *type)
{
	struct bt_pointer known = { variable, *type };

	if (type->name && type->stars)
		sp_vec_push(&bt->pointers, known);
}

// A parameter, or a member of a structure: their types are known, but not here. Operands of marks are numbers.
static bool has_own_type(const struct bt *bt, const char *value)
{
	bool is_cast = sp_starts_with(value, "@cast("), is_operand = bt->place.is_mark && sp_starts_with(value, "$arg");
	const char *behind = is_cast ? strstr(value, "\")") : value;

	if (is_operand || !behind || strpbrk(behind + (is_cast ? 2 : 0), " ()"))
		return false;
	return value[0] == '$' || strstr(behind, "->");
}

void bt_learn_value(struct bt *bt, const char *variable, const char *value)
{
	char stack = bt_stack_kind(bt, value);
	struct bt_pointer known = { variable, { stack == 'u' ? "ustack" : stack ? "kstack" : "", 0 } };
	size_t len = strcspn(variable, "[");

	if (stack || has_own_type(bt, value))
		sp_vec_push(&bt->pointers, known);
	sp_vec_each(map, &bt->maps)
		if (stack && sp_is_word(variable, len, (*map)->ours))
			(*map)->stack = stack;
}

// Does the variable have the type of what was assigned?
static bool is_typed(const struct bt *bt, const char *variable)
{
	sp_vec_each(pointer, &bt->pointers)
		if (!pointer->type.stars && !*pointer->type.name && sp_streq(pointer->variable, variable))
			return true;
	return false;
}

const struct bt_type *bt_pointer_type(const struct bt *bt, const char *variable)
{
	sp_vec_each(pointer, &bt->pointers)
		if (pointer->type.stars && sp_streq(pointer->variable, variable))
			return &pointer->type;
	return NULL;
}

bool bt_counts_elements(const struct bt *bt, const char *value)
{
	const struct bt_type *type = bt_pointer_type(bt, value);
	const struct number_type *number = type && type->stars == 1 ? find_number(type->name) : NULL;

	return type && !(number && number->size == 1);
}

// "(p + 1)" of a pointer whose type is known.
static bool is_computed_pointer(const struct bt *bt, const char *value)
{
	sp_vec_each(pointer, &bt->pointers) {
		size_t len = strlen(pointer->variable);

		if (value[0] == '(' && !strncmp(value + 1, pointer->variable, len) && value[1 + len] == ' ')
			return true;
	}
	return false;
}

// What a value points to when nothing was said of it: a parameter and a member have their own types, and so has a variable that was
// assigned one; a number is an address of 8 bytes.
static const char *plain_target(struct bt *bt, const char *value)
{
	const struct bt_type *type = bt_pointer_type(bt, value);

	if (type)
		return bt_target(bt, type, value, NULL);
	if (is_computed_pointer(bt, value))
		bt_refuse(bt, "what a computed pointer of a type points to");
	if (has_own_type(bt, value) || sp_starts_with(value, "@cast("))
		return sp_arena_printf(&bt->arena, "%s[0]", value);
	if (is_typed(bt, value))
		return sp_arena_printf(&bt->arena, "(%s)[0]", value);
	return sp_arena_printf(&bt->arena, "@%cderef(8, %s)", bt->place.is_user ? 'u' : 'k', value);
}

// *(T *)x, *((T *)x), *x
static const char *dereference(struct bt *bt)
{
	size_t start = bt->at;
	struct bt_type type = bt_cast_type(bt);
	bool is_inner = !type.name && bt_take(bt, "(");
	const char *value;

	if (is_inner)
		type = bt_cast_type(bt);
	if (!type.stars) {
		bt->at = start;
		return plain_target(bt, bt_unary(bt));
	}
	value = bt_unary(bt);
	if (is_inner && !bt_take(bt, ")"))
		bt_refuse(bt, "what a computed pointer of a type points to");
	return find_number(type.name) || type.stars > 1 ? bt_target(bt, &type, value, NULL) : bt_cast(bt, &type, value);
}

const char *bt_dereference(struct bt *bt)
{
	bool outer = bt->wants_address;
	const char *ret;

	bt->wants_address = true;
	ret = dereference(bt);
	bt->wants_address = outer;
	return ret;
}

const char *bt_sizeof(struct bt *bt)
{
	struct bt_type type = bt_cast_type(bt);
	const struct number_type *number;

	if (!type.name) {
		bt_refuse(bt, "sizeof of a value");
		return "0";
	}
	number = find_number(type.stars ? "pointer" : type.name);
	return number ? sp_arena_printf(&bt->arena, "%u", number->size) : sp_arena_printf(&bt->arena, "@cast_sizeof(\"%s\")", type.name);
}

// offsetof(struct T, member)
const char *bt_offsetof(struct bt *bt)
{
	struct bt_token member = { 0 };
	size_t from, to;

	bt_take(bt, "(");
	from = bt_skip(bt->text, bt->at);
	while (bt_peek(bt).kind == BT_NAME)
		bt_next(bt);
	to = bt->at;
	if (!bt_take(bt, ",") || (member = bt_next(bt)).kind != BT_NAME || !bt_take(bt, ")")) {
		bt_refuse(bt, "offsetof() of more than a member of a type");
		return "0";
	}
	return sp_arena_printf(&bt->arena, "&@cast(0, \"%.*s\")->%s", (int)(to - from), bt->text + from, bt_text(bt, &member));
}
