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

static const struct c_type float_types[] = {
	{ .kind = C_FLOAT, .name = "float", .size = 4, .is_signed = true, .is_complete = true },
	{ .kind = C_FLOAT, .name = "double", .size = 8, .is_signed = true, .is_complete = true },
};

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$"

struct reader {
	struct sp_arena *arena;
	const struct abi *abi;
	const struct usdt_symbols *symbols;
	const char *at;
	const char *why; // what is wrong, when that is known
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

static bool is_aarch64(const struct reader *r)
{
	return r->abi->return_address_size == 0;
}

// A register for floating point: "xmm3" of x86_64, on AArch64 "v3" and its parts "d3", "s3", "q3", "h3". False: none.
static bool float_reg(struct reader *r, const char *name)
{
	const struct abi_bank *bank = r->abi->banks;
	size_t len = strlen(bank->name);
	unsigned long number;
	char *end;

	if (is_aarch64(r) && strchr("dsqh", *name))
		len = 1;
	else if (strncmp(name, bank->name, len))
		return false;
	number = strtoul(name + len, &end, 10);
	if (end == name + len || *end || number >= (unsigned long)bank->n)
		return false;
	emit(r, LOC_REG, bank->dwarf + (int64_t)number);
	return true;
}

static bool register_name(struct reader *r, char *name, size_t size)
{
	size_t len = strspn(r->at += *r->at == '%', "abcdefghijklmnopqrstuvwxyz0123456789");

	if (!len || len >= size)
		return false;
	memcpy(name, r->at, len);
	name[len] = '\0';
	return true;
}

// A whole register or a part of one, with or without '%'. False: none of that name.
static bool reg(struct reader *r)
{
	char name[16];
	const struct abi_reg *whole;
	const struct abi_part *part;

	if (!register_name(r, name, sizeof(name)))
		return false;
	r->at += strlen(name);
	if (is_aarch64(r) && (!strcmp(name, "xzr") || !strcmp(name, "wzr"))) {
		emit(r, LOC_CONST, 0);
		return true;
	}
	part = abi_part_name(r->abi, name);
	whole = abi_reg_name(r->abi, part ? part->whole : name);
	if (!whole)
		return float_reg(r, name);
	emit(r, LOC_REG, whole->dwarf);
	if (part && part->bit) {
		emit(r, LOC_CONST, part->bit);
		emit(r, LOC_SHR, 0);
	}
	return true;
}

static bool find_symbol(struct reader *r, const char *name, size_t len, uint64_t *ret)
{
	if (r->symbols && r->symbols->find(r->symbols->ctx, sp_arena_strndup(r->arena, name, len), ret))
		return true;
	r->why = sp_arena_printf(r->arena, "no symbol of the file, or more than one, is `%.*s`", (int)len, name);
	return false;
}

// "table": its address. "table@GOTOFF", in i386's code that can be loaded anywhere: how far it is from the global offset table, which a
// register points to.
static bool symbol(struct reader *r, uint64_t *ret, bool *is_distance_ret)
{
	static const char from_got[] = "@GOTOFF", got[] = "_GLOBAL_OFFSET_TABLE_";
	size_t len = strspn(r->at, NAME_CHARS);
	uint64_t table = 0;

	*is_distance_ret = !strncmp(r->at + len, from_got, strlen(from_got));
	if (!len)
		return false;
	if (r->at[len] == '@' && !*is_distance_ret) {
		r->why = sp_arena_printf(r->arena, "`%.*s` is an entry of a table", (int)strcspn(r->at, " (,)"), r->at);
		return false;
	}
	if (!find_symbol(r, r->at, len, ret) || (*is_distance_ret && !find_symbol(r, got, strlen(got), &table)))
		return false;
	*ret -= table;
	r->at += len + (*is_distance_ret ? strlen(from_got) : 0);
	return true;
}

// A sum of numbers, with at most one symbol: "-8", "table+16", "24+table". *has_symbol_ret: with one.
static bool sum(struct reader *r, bool *has_symbol_ret)
{
	uint64_t address;
	int64_t total = 0, value;
	bool is_distance = false;

	*has_symbol_ret = false;
	do {
		bool minus = *r->at == '-';
		const char *at = r->at + (*r->at == '-' || *r->at == '+');

		if (*at >= '0' && *at <= '9') {
			r->at = at;
			number(r, &value);
			total = (int64_t)((uint64_t)total + (minus ? -(uint64_t)value : (uint64_t)value));
			continue;
		}
		r->at = at;
		if (*has_symbol_ret || is_distance || minus || !symbol(r, &address, &is_distance))
			return false;
		*has_symbol_ret = !is_distance;
		total = (int64_t)((uint64_t)total + address);
	} while (*r->at == '+' || *r->at == '-');
	emit(r, *has_symbol_ret ? LOC_ADDR : LOC_CONST, total);
	return true;
}

// "(base)", "(base,index,scale)", "(,index,scale)", behind a displacement that is on the stack already. In "symbol(%rip)" the
// displacement is the whole address.
static bool att_address(struct reader *r, bool has_symbol)
{
	int64_t scale = 1;

	r->at++;
	if (has_symbol && !strncmp(r->at, "%rip)", 5)) {
		r->at += 5;
		return true;
	}
	if (*r->at != ',') {
		if (!strncmp(r->at, "%rip", 4) || !reg(r))
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
	// A negative index, or a negative offset from a symbol, wraps around at the size of an address.
	if (r->abi->word_size < 8)
		emit(r, LOC_ZEXT, r->abi->word_size);
	return *r->at++ == ')';
}

static bool take_word(struct reader *r, const char *word)
{
	size_t len = strlen(word), blanks = strspn(r->at, " ");

	if (strncmp(r->at + blanks, word, len))
		return false;
	r->at += blanks + len;
	return true;
}

// ", lsl #3", ", sxtw 2", ", uxtw" behind the index of an address, which is on the stack.
static bool extended_index(struct reader *r)
{
	int64_t shift = 0;

	if (!take_word(r, ","))
		return true;
	if (take_word(r, "sxtw"))
		emit(r, LOC_SEXT, 4);
	else if (take_word(r, "uxtw"))
		emit(r, LOC_ZEXT, 4);
	else if (!take_word(r, "lsl") && !take_word(r, "sxtx"))
		return false;
	r->at += strspn(r->at, " #");
	if (*r->at != ']' && (!number(r, &shift) || shift < 0 || shift > 4))
		return false;
	emit(r, LOC_CONST, shift);
	emit(r, LOC_SHL, 0);
	return true;
}

// "[base]", "[base, #displacement]", "[base, index, lsl #3]"
static bool bracket_address(struct reader *r)
{
	int64_t displacement;

	r->at++;
	if (!reg(r))
		return false;
	if (take_word(r, ",")) {
		r->at += strspn(r->at, " #");
		if (number(r, &displacement))
			emit(r, LOC_CONST, displacement);
		else if (!reg(r) || !extended_index(r))
			return false;
		emit(r, LOC_ADD, 0);
	}
	return *r->at++ == ']';
}

// Numbers are written "5" or "#5".
static bool aarch64_operand(struct reader *r, bool *in_memory_ret)
{
	int64_t value;

	*in_memory_ret = *r->at == '[';
	if (*in_memory_ret)
		return bracket_address(r);
	r->at += *r->at == '#';
	if (!number(r, &value))
		return reg(r);
	emit(r, LOC_CONST, value);
	return true;
}

static bool x86_operand(struct reader *r, bool *in_memory_ret)
{
	bool has_symbol = false;

	*in_memory_ret = false;
	if (*r->at == '$') {
		r->at++;
		return sum(r, &has_symbol);
	}
	if (*r->at == '%')
		return reg(r);
	*in_memory_ret = true;
	if (*r->at == '(')
		emit(r, LOC_CONST, 0);
	else if (!sum(r, &has_symbol))
		return false;
	return *r->at == '(' ? att_address(r, has_symbol) : has_symbol;
}

static const struct loc *take_loc(struct reader *r, bool in_memory, const struct c_type *type)
{
	struct loc_piece *piece = sp_arena_new(r->arena, struct loc_piece);
	struct loc *loc = sp_arena_new(r->arena, struct loc);

	if (!in_memory && type->size < 8 && type->kind == C_INT)
		emit(r, type->is_signed ? LOC_SEXT : LOC_ZEXT, (int64_t)type->size);
	piece->where = in_memory ? LOC_IN_MEMORY : LOC_IS_VALUE;
	piece->ops = sp_arena_memdup(r->arena, r->ops.v, r->ops.n * sizeof(*r->ops.v));
	piece->n_ops = (unsigned)r->ops.n;
	*loc = (struct loc){ .pieces = piece, .n_pieces = 1 };
	return loc;
}

// "-4@", "8f@" (a floating point number). NULL: none that is known.
static const struct c_type *type_of(struct reader *r)
{
	int64_t size;

	if (!number(r, &size))
		return &int_types[7]; // without a size it is a long
	if (*r->at == 'f') {
		r->at++;
		return *r->at++ == '@' && (size == 4 || size == 8) ? &float_types[size / 8] : NULL;
	}
	if (*r->at++ != '@')
		return NULL;
	for (size_t i = 0; i < SP_ARRAY_SIZE(int_types); i++)
		if ((int64_t)int_types[i].size == llabs(size) && int_types[i].is_signed == (size < 0))
			return &int_types[i];
	return NULL;
}

// Numbers among operands have no size: "-8(%rbp)" is a long, and "$5" is one.
static const struct c_type *split(struct reader *r, const char *end)
{
	return memchr(r->at, '@', (size_t)(end - r->at)) ? type_of(r) : &int_types[7];
}

bool usdt_arg_parse(struct sp_arena *arena, const struct abi *abi, const struct usdt_symbols *symbols, const char *args,
		    unsigned index, struct usdt_arg *ret)
{
	struct reader r = { .arena = arena, .abi = abi, .symbols = symbols, .at = args + strspn(args, " ") };
	const char *start, *end;
	bool in_memory;

	for (unsigned i = 0; i < index && *r.at; i++) {
		r.at = skip_arg(r.at);
		r.at += strspn(r.at, " ");
	}
	if (!*r.at)
		return false;
	start = r.at;
	end = skip_arg(start);
	*ret = (struct usdt_arg){ .type = abi ? split(&r, end) : NULL };
	if (ret->type && (is_aarch64(&r) ? aarch64_operand : x86_operand)(&r, &in_memory) && r.at == end)
		ret->loc = take_loc(&r, in_memory, ret->type);
	else
		ret->why = sp_arena_printf(arena, "it is at '%.*s', which is not understood%s%s", (int)(end - start), start,
					   r.why ? ": " : "", r.why ? r.why : "");
	if (!ret->type)
		ret->type = &int_types[7];
	sp_vec_deinit(&r.ops);
	return true;
}
