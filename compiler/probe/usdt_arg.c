// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/usdt_arg.h"

#include "runtime/base/vec.h"

#include <stdlib.h>
#include <string.h>

static const struct c_type int_types[] = {
	{ .kind = C_INT, .name = "unsigned char", .size = 1, .is_complete = true },
	{ .kind = C_INT, .name = "signed char", .size = 1, .is_signed = true, .is_complete = true },
	{ .kind = C_INT, .name = "unsigned short", .size = 2, .is_complete = true },
	{ .kind = C_INT, .name = "short", .size = 2, .is_signed = true, .is_complete = true },
	{ .kind = C_INT, .name = "unsigned int", .size = 4, .is_complete = true },
	{ .kind = C_INT, .name = "int", .size = 4, .is_signed = true, .is_complete = true },
	{ .kind = C_INT, .name = "unsigned long", .size = 8, .is_complete = true },
	{ .kind = C_INT, .name = "long", .size = 8, .is_signed = true, .is_complete = true },
};

struct reader {
	struct sp_arena *arena;
	const struct abi *abi;
	const char *at;
	SP_VEC(struct loc_op) ops;
};

static void emit(struct reader *r, enum loc_op_kind kind, int64_t a)
{
	sp_vec_push(&r->ops, ((struct loc_op){ .kind = kind, .a = a }));
}

// Arguments are separated by blanks, which operands of AArch64 have, too: inside of brackets.
static const char *skip_arg(const char *at)
{
	bool inside = false;

	for (; *at && (inside || *at != ' '); at++)
		inside = *at == '[' ? true : *at == ']' ? false : inside;
	return at;
}

unsigned usdt_arg_count(const char *args)
{
	unsigned n = 0;

	for (const char *at = args + strspn(args, " "); *at; at += strspn(at, " "), n++)
		at = skip_arg(at);
	return n;
}

static bool number(struct reader *r, int64_t *ret)
{
	char *end;

	*ret = (int64_t)strtoull(r->at, &end, 0);
	if (end == r->at)
		return false;
	r->at = end;
	return true;
}

// A whole register or a part of one, with or without '%'. False: none of that name.
static bool reg(struct reader *r)
{
	char name[16];
	size_t len;
	const struct abi_reg *whole;
	const struct abi_part *part;

	r->at += *r->at == '%';
	len = strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789");
	if (!len || len >= sizeof(name))
		return false;
	memcpy(name, r->at, len);
	name[len] = '\0';
	r->at += len;
	part = abi_part_name(r->abi, name);
	whole = abi_reg_name(r->abi, part ? part->whole : name);
	if (!whole)
		return false;
	emit(r, LOC_REG, whole->dwarf);
	if (part && part->bit) {
		emit(r, LOC_CONST, part->bit);
		emit(r, LOC_SHR, 0);
	}
	return true;
}

// "(base)", "(base,index,scale)", "(,index,scale)", behind a displacement that is on the stack already.
static bool att_address(struct reader *r)
{
	int64_t scale = 1;

	r->at++;
	if (*r->at != ',') {
		if (!reg(r))
			return false;
		emit(r, LOC_ADD, 0);
	}
	if (*r->at == ',') {
		r->at++;
		if (!reg(r) || (*r->at == ',' && (r->at++, !number(r, &scale))))
			return false;
		emit(r, LOC_CONST, scale);
		emit(r, LOC_MUL, 0);
		emit(r, LOC_ADD, 0);
	}
	return *r->at++ == ')';
}

// "[base]", "[base, displacement]", "[base, index]"
static bool bracket_address(struct reader *r)
{
	int64_t displacement;

	r->at++;
	if (!reg(r))
		return false;
	if (*r->at == ',') {
		r->at += 1 + strspn(r->at + 1, " #");
		if (number(r, &displacement))
			emit(r, LOC_CONST, displacement);
		else if (!reg(r))
			return false;
		emit(r, LOC_ADD, 0);
	}
	return *r->at++ == ']';
}

// False: not understood.
static bool operand(struct reader *r, bool *in_memory_ret)
{
	int64_t value = 0;

	*in_memory_ret = false;
	if (*r->at == '$' && (r->at++, number(r, &value))) {
		emit(r, LOC_CONST, value);
		return true;
	}
	if (*r->at == '%' || (r->abi->return_address_size == 0 && *r->at >= 'a' && *r->at <= 'z'))
		return reg(r);
	*in_memory_ret = true;
	if (*r->at == '[')
		return bracket_address(r);
	if (*r->at != '(' && !number(r, &value))
		return false; // a symbol
	emit(r, LOC_CONST, value);
	if (*r->at == '(')
		return att_address(r);
	*in_memory_ret = false; // AArch64 writes numbers so
	return r->abi->return_address_size == 0;
}

static const struct loc *take_loc(struct reader *r, bool in_memory, const struct c_type *type)
{
	struct loc_piece *piece = sp_arena_new(r->arena, struct loc_piece);
	struct loc *loc = sp_arena_new(r->arena, struct loc);

	if (!in_memory && type->size < 8)
		emit(r, type->is_signed ? LOC_SEXT : LOC_ZEXT, (int64_t)type->size);
	piece->where = in_memory ? LOC_IN_MEMORY : LOC_IS_VALUE;
	piece->ops = sp_arena_memdup(r->arena, r->ops.v, r->ops.n * sizeof(*r->ops.v));
	piece->n_ops = (unsigned)r->ops.n;
	*loc = (struct loc){ .pieces = piece, .n_pieces = 1 };
	return loc;
}

// "-4@", "8f@" (a floating point number). NULL: none that is known.
static const struct c_type *type_of(struct reader *r, bool *is_float_ret)
{
	int64_t size;

	*is_float_ret = false;
	if (!number(r, &size))
		return &int_types[7]; // without a size it is a long
	*is_float_ret = *r->at == 'f';
	r->at += *is_float_ret;
	if (*r->at++ != '@')
		return NULL;
	for (size_t i = 0; i < SP_ARRAY_SIZE(int_types); i++)
		if ((int64_t)int_types[i].size == llabs(size) && int_types[i].is_signed == (size < 0))
			return &int_types[i];
	return NULL;
}

bool usdt_arg_parse(struct sp_arena *arena, const struct abi *abi, const char *args, unsigned index, struct usdt_arg *ret)
{
	struct reader r = { .arena = arena, .abi = abi, .at = args + strspn(args, " ") };
	const char *start, *end;
	bool in_memory, is_float;

	for (unsigned i = 0; i < index && *r.at; i++) {
		r.at = skip_arg(r.at);
		r.at += strspn(r.at, " ");
	}
	if (!*r.at)
		return false;
	start = r.at;
	end = skip_arg(start);
	*ret = (struct usdt_arg){ .type = abi ? type_of(&r, &is_float) : NULL };
	if (ret->type && !is_float && operand(&r, &in_memory) && r.at == end)
		ret->loc = take_loc(&r, in_memory, ret->type);
	else
		ret->why = sp_arena_printf(arena, "it is at '%.*s', which is not understood", (int)(end - start), start);
	if (!ret->type)
		ret->type = &int_types[7];
	sp_vec_deinit(&r.ops);
	return true;
}
