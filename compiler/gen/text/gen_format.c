// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_format.h"

#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_text.h"
#include "runtime/base/directive.h"

#include <stdio.h>

#define DIGITS 24 // room for 22 octal ones; behind them is a NUL
#define NAME_SIZE 64

// A directive whose `*` have their values.
struct spec {
	const struct sp_directive *d;
	LLVMValueRef left; // an i1
	LLVMValueRef width; // 0: none
	LLVMValueRef precise, precision; // an i1, and the number
};

static LLVMValueRef flag(struct gen *g, bool value)
{
	return LLVMConstInt(g->i1, value, false);
}

static LLVMValueRef is(struct gen *g, LLVMIntPredicate predicate, LLVMValueRef a, int64_t b)
{
	return LLVMBuildICmp(g->b, predicate, a, gen_i64(g, b), "");
}

static LLVMValueRef least_of(struct gen *g, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, a, b, ""), a, b, "");
}

static LLVMValueRef at_least_0(struct gen *g, LLVMValueRef a)
{
	return LLVMBuildSelect(g->b, is(g, LLVMIntSGT, a, 0), a, gen_i64(g, 0), "");
}

static bool is_zero(LLVMValueRef value)
{
	return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == 0;
}

LLVMValueRef gen_format_number(struct gen *g, const struct gen_format_arg *arg)
{
	return arg->kept ? gen_load_volatile(g, arg->kept) : arg->number;
}

// A width below 0 is the flag `-`, such a precision is none.
static struct spec resolve(struct gen *g, const struct sp_directive *d, const struct gen_format_arg **arg)
{
	LLVMValueRef most = gen_i64(g, SP_DIRECTIVE_MAX_WIDTH), negative, n;
	struct spec s = { .d = d, .left = flag(g, d->flags & SP_DIRECTIVE_LEFT) };

	s.width = gen_i64(g, d->width > 0 ? d->width : 0);
	s.precise = flag(g, d->precision >= 0);
	s.precision = gen_i64(g, d->precision > 0 ? d->precision : 0);
	if (d->width == SP_DIRECTIVE_FROM_ARG) {
		n = gen_format_number(g, (*arg)++);
		negative = is(g, LLVMIntSLT, n, 0);
		s.left = LLVMBuildOr(g->b, s.left, negative, "");
		n = least_of(g, n, most);
		s.width = LLVMBuildSelect(g->b, negative, least_of(g, LLVMBuildNeg(g->b, n, ""), most), n, "");
		s.width = LLVMBuildSelect(g->b, is(g, LLVMIntSLT, n, -SP_DIRECTIVE_MAX_WIDTH), most, s.width, "");
	}
	if (d->precision == SP_DIRECTIVE_FROM_ARG) {
		n = gen_format_number(g, (*arg)++);
		s.precise = is(g, LLVMIntSGE, n, 0);
		s.precision = least_of(g, n, most);
	}
	return s;
}

// The spaces before, or behind, a text of `len` bytes.
static void pad(struct gen *g, struct gen_text *t, const struct spec *s, LLVMValueRef len, bool behind)
{
	LLVMValueRef none = gen_i64(g, 0), n;

	if (is_zero(s->width))
		return;
	n = LLVMBuildSub(g->b, s->width, len, "");
	gen_text_fill(g, t, ' ', LLVMBuildSelect(g->b, s->left, behind ? n : none, behind ? none : n, ""));
}

// ---- numbers ------------------------------------------------------------------------------------

struct radix {
	unsigned base;
	bool is_upper, has_one; // at least one digit
};

// live: work. CELL_A: what is left of the number; CELL_B: where its first digit stands.
static LLVMValueRef digit(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct radix *r = arg;
	LLVMBasicBlockRef add = gen_block(g), inside = gen_block(g), done = gen_block(g);
	LLVMValueRef number = gen_cell(g, live[0], GEN_CELL_A), more, base = gen_i64(g, r->base), d, letter, place;

	more = is(g, LLVMIntNE, number, 0);
	if (r->has_one)
		more = LLVMBuildOr(g->b, more, is(g, LLVMIntEQ, index, 0), "");
	gen_branch(g, more, add, done);
	gen_enter(g, add);
	d = LLVMBuildURem(g->b, number, base, "");
	gen_cell_set(g, live[0], GEN_CELL_A, LLVMBuildUDiv(g->b, number, base, ""));
	letter = LLVMBuildAdd(g->b, d, gen_i64(g, (r->is_upper ? 'A' : 'a') - 10), "");
	d = LLVMBuildAdd(g->b, d, gen_i64(g, '0'), "");
	if (r->base > 10)
		d = LLVMBuildSelect(g->b, is(g, LLVMIntUGT, d, '9'), letter, d, "");
	place = gen_keep(g, LLVMBuildSub(g->b, gen_i64(g, DIGITS - 1), index, ""));
	gen_branch(g, is(g, LLVMIntULT, place, DIGITS), inside, done);
	gen_enter(g, inside);
	gen_store_sized(g, d, gen_at_index(g, gen_at(g, live[0], GEN_CELL_COUNT * 8), place), 1);
	gen_cell_set(g, live[0], GEN_CELL_B, place);
	gen_goto(g, done);
	gen_enter(g, done);
	return more;
}

// The digits, behind each other at the end of the work area; returns the first one's place there.
static LLVMValueRef digits(struct gen *g, LLVMValueRef work, LLVMValueRef number, struct radix radix)
{
	struct gen_repeat r = { .trips = 22, .live = { work }, .n_live = 1, .arg = &radix, .body = digit };
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "text_digits_%u%s%s", radix.base, radix.is_upper ? "_upper" : "",
		 radix.has_one ? "_one" : "");
	r.name = name;
	gen_cell_set(g, work, GEN_CELL_A, number);
	gen_cell_set(g, work, GEN_CELL_B, gen_i64(g, DIGITS));
	gen_store(g, gen_i64(g, 0), gen_at(g, work, GEN_CELL_COUNT * 8 + DIGITS));
	gen_repeat(g, &r);
	return gen_cell(g, work, GEN_CELL_B);
}

// What stands before the digits: its bytes, and how many they are.
static LLVMValueRef prefix(struct gen *g, const struct sp_directive *d, LLVMValueRef number, LLVMValueRef negative,
			   LLVMValueRef *len_ret)
{
	bool alternate = d->flags & SP_DIRECTIVE_ALTERNATE;
	LLVMValueRef word = gen_i64(g, 0);

	if (d->conversion == 'd' || d->conversion == 'i') {
		char plus = d->flags & SP_DIRECTIVE_PLUS ? '+' : d->flags & SP_DIRECTIVE_SPACE ? ' ' : '\0';
		word = LLVMBuildSelect(g->b, negative, gen_i64(g, '-'), gen_i64(g, plus), "");
	} else if (d->conversion == 'o' && alternate) {
		word = LLVMBuildSelect(g->b, is(g, LLVMIntNE, number, 0), gen_i64(g, '0'), word, "");
	} else if (d->conversion == 'p' || (d->conversion == 'x' && alternate)) {
		word = gen_i64(g, '0' | 'x' << 8);
	} else if (d->conversion == 'X' && alternate) {
		word = gen_i64(g, '0' | 'X' << 8);
	}
	*len_ret = gen_text_count(g, word);
	return word;
}

// At most two bytes.
static void put_prefix(struct gen *g, struct gen_text *t, LLVMValueRef word, LLVMValueRef len)
{
	uint32_t room = t->room;

	if (is_zero(word))
		return;
	gen_text_put(g, t, word, len);
	t->room = room;
	gen_text_use(t, 2);
}

static void append_digits(struct gen *g, struct gen_text *t, LLVMValueRef first, unsigned base)
{
	struct gen_str area = { gen_at(g, t->work, GEN_CELL_COUNT * 8), DIGITS + 8 };
	uint32_t room = t->room;

	gen_text_append(g, t, area, first, NULL);
	t->room = room;
	gen_text_use(t, base == 16 ? 16 : base == 10 ? 20 : 22);
}

static void put_number(struct gen *g, struct gen_text *t, const struct spec *s, LLVMValueRef number)
{
	static const char conversions[] = "diuxXop";
	static const unsigned bases[] = { 10, 10, 10, 16, 16, 8, 16 };
	const struct sp_directive *d = s->d;
	bool is_plain = is_zero(s->width) && is_zero(s->precise);
	struct radix radix = { bases[strchr(conversions, d->conversion) - conversions], d->conversion == 'X', is_plain };
	LLVMValueRef negative = NULL, word, len, first, zeros, fill, to_zeros;

	if (d->conversion == 'd' || d->conversion == 'i') {
		negative = is(g, LLVMIntSLT, number, 0);
		number = LLVMBuildSelect(g->b, negative, LLVMBuildNeg(g->b, number, ""), number, "");
	}
	first = digits(g, t->work, number, radix);
	word = prefix(g, d, number, negative, &len);
	if (is_plain) {
		put_prefix(g, t, word, len);
		append_digits(g, t, first, radix.base);
		return;
	}
	zeros = LLVMBuildSub(g->b, LLVMBuildSelect(g->b, s->precise, s->precision, gen_i64(g, 1), ""),
			     LLVMBuildSub(g->b, gen_i64(g, DIGITS), first, ""), "");
	zeros = at_least_0(g, zeros);
	fill = LLVMBuildSub(g->b, gen_i64(g, DIGITS), first, "");
	fill = LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, fill, zeros, ""), len, "");
	if (d->flags & SP_DIRECTIVE_ZERO) { // the flag is void with `-` or a precision
		to_zeros = LLVMBuildNot(g->b, LLVMBuildOr(g->b, s->left, s->precise, ""), "");
		to_zeros = LLVMBuildSelect(g->b, to_zeros, at_least_0(g, LLVMBuildSub(g->b, s->width, fill, "")),
					   gen_i64(g, 0), "");
		zeros = LLVMBuildAdd(g->b, zeros, to_zeros, "");
		fill = LLVMBuildAdd(g->b, fill, to_zeros, "");
	}
	pad(g, t, s, fill, false);
	put_prefix(g, t, word, len);
	gen_text_fill(g, t, '0', zeros);
	append_digits(g, t, first, radix.base);
	pad(g, t, s, fill, true);
}

// ---- bytes --------------------------------------------------------------------------------------

static void put_word(struct gen *g, struct gen_text *t, const struct spec *s, LLVMValueRef word, LLVMValueRef n)
{
	pad(g, t, s, n, false);
	gen_text_put(g, t, word, n);
	pad(g, t, s, n, true);
}

static void put_char(struct gen *g, struct gen_text *t, const struct spec *s, LLVMValueRef number)
{
	LLVMValueRef c = LLVMBuildAnd(g->b, number, gen_i64(g, 0xff), ""), row;

	if (!(s->d->flags & SP_DIRECTIVE_ALTERNATE)) {
		put_word(g, t, s, c, gen_bool(g, is(g, LLVMIntNE, c, 0)));
		return;
	}
	row = gen_at_index(g, gen_text_escapes(g, "\aa\bb\ff\nn\rr\tt\vv\\\\''"), LLVMBuildShl(g->b, c, gen_i64(g, 3), ""));
	row = gen_load(g, row);
	put_word(g, t, s, LLVMBuildAnd(g->b, row, gen_i64(g, INT64_MAX >> 7), ""),
		 LLVMBuildLShr(g->b, row, gen_i64(g, 56), ""));
}

static void put_string(struct gen *g, struct gen_text *t, const struct spec *s, struct gen_str text)
{
	LLVMValueRef limit = NULL, len = gen_i64(g, 0);

	if (!is_zero(s->precise))
		limit = LLVMBuildSelect(g->b, s->precise, s->precision, gen_i64(g, text.cap), "");
	if (!is_zero(s->width)) {
		len = gen_text_length(g, text, t->work);
		if (limit)
			len = least_of(g, len, limit);
	}
	pad(g, t, s, len, false);
	gen_text_append(g, t, text, NULL, limit);
	pad(g, t, s, len, true);
}

static LLVMValueRef number_size_or(struct gen *g, LLVMValueRef n, LLVMValueRef otherwise)
{
	LLVMValueRef is_size = flag(g, false);

	for (int size = 1; size <= 8; size *= 2)
		is_size = LLVMBuildOr(g->b, is_size, is(g, LLVMIntEQ, n, size), "");
	return LLVMBuildSelect(g->b, is_size, n, otherwise, "");
}

// A string has of it what comes before the first NUL, and a wider field begins with NULs.
static void put_binary(struct gen *g, struct gen_text *t, const struct spec *s, LLVMValueRef number)
{
	LLVMValueRef size = number_size_or(g, s->precision, number_size_or(g, s->width, gen_i64(g, 8)));
	LLVMValueRef bits = LLVMBuildShl(g->b, LLVMBuildSub(g->b, gen_i64(g, 8), size, ""), gen_i64(g, 3), "");
	LLVMValueRef word = LLVMBuildAnd(g->b, number, LLVMBuildLShr(g->b, gen_i64(g, -1), bits, ""), "");
	LLVMValueRef begins = LLVMBuildICmp(g->b, LLVMIntSLE, s->width, size, ""), count;

	begins = LLVMBuildOr(g->b, begins, s->left, "");
	count = LLVMBuildSelect(g->b, begins, gen_text_count(g, word), gen_i64(g, 0), "");
	gen_text_put(g, t, gen_text_first(g, word, count), count);
}

struct memory {
	uint32_t cap, dst_cap;
};

// live: the memory, dst, work, how many bytes.
static LLVMValueRef hex_byte(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct memory *m = arg;
	struct gen_text t = { .dst = { live[1], m->dst_cap }, .work = live[2] };
	LLVMBasicBlockRef put = gen_block(g), done = gen_block(g);
	LLVMValueRef go = LLVMBuildICmp(g->b, LLVMIntSLT, index, live[3], ""), c, word = gen_i64(g, 0);

	gen_branch(g, go, put, done);
	gen_enter(g, put);
	c = gen_text_byte(g, (struct gen_str){ live[0], m->cap }, index);
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef d = LLVMBuildLShr(g->b, c, gen_i64(g, i ? 0 : 4), ""), letter;
		d = LLVMBuildAnd(g->b, d, gen_i64(g, 15), "");
		letter = LLVMBuildMul(g->b, gen_bool(g, is(g, LLVMIntUGE, d, 10)), gen_i64(g, 'a' - '9' - 1), "");
		d = LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, d, gen_i64(g, '0'), ""), letter, "");
		word = LLVMBuildOr(g->b, word, LLVMBuildShl(g->b, d, gen_i64(g, i * 8), ""), "");
	}
	gen_text_put(g, &t, word, gen_i64(g, 2));
	gen_goto(g, done);
	gen_enter(g, done);
	return go;
}

static void put_memory(struct gen *g, struct gen_text *t, const struct spec *s, struct gen_str bytes)
{
	LLVMValueRef n = LLVMBuildSelect(g->b, s->precise, s->precision, gen_i64(g, 1), ""), len;
	struct memory m = { bytes.cap, t->dst.cap };
	struct gen_repeat r = { .trips = bytes.cap, .n_live = 4, .arg = &m, .body = hex_byte };
	char name[NAME_SIZE];

	n = least_of(g, n, gen_i64(g, bytes.cap));
	if (s->d->conversion == 'm') {
		pad(g, t, s, n, false);
		gen_text_append(g, t, bytes, NULL, n);
		pad(g, t, s, n, true);
		return;
	}
	snprintf(name, sizeof(name), "text_hex_%u_%u", bytes.cap, t->dst.cap);
	r.name = name;
	r.live[0] = bytes.ptr;
	r.live[1] = t->dst.ptr;
	r.live[2] = t->work;
	r.live[3] = n;
	len = LLVMBuildShl(g->b, n, gen_i64(g, 1), "");
	pad(g, t, s, len, false);
	gen_repeat(g, &r);
	gen_text_use(t, 2 * bytes.cap);
	pad(g, t, s, len, true);
}

// ---- all ----------------------------------------------------------------------------------------

static void put(struct gen *g, struct gen_text *t, const struct spec *s, const struct gen_format_arg *arg)
{
	switch (s->d->conversion) {
	case 's':
		put_string(g, t, s, arg->text);
		break;
	case 'm':
	case 'M':
		put_memory(g, t, s, arg->text);
		break;
	case 'c':
		put_char(g, t, s, gen_format_number(g, arg));
		break;
	case 'b':
		put_binary(g, t, s, gen_format_number(g, arg));
		break;
	default:
		put_number(g, t, s, gen_format_number(g, arg));
		break;
	}
}

void gen_format_append(struct gen *g, struct gen_text *t, const char *format, const struct gen_format_arg *args)
{
	while (*format) {
		size_t len = strcspn(format, "%");
		struct sp_directive d;
		struct spec s;

		gen_text_literal(g, t, format, (uint32_t)len);
		format += len;
		if (!*format)
			break;
		format = sp_directive_parse(format + 1, &d);
		if (!format) {
			gen_bug(g, "a format with what is no directive");
			return;
		}
		if (d.conversion == '%') {
			gen_text_literal(g, t, "%", 1);
			continue;
		}
		s = resolve(g, &d, &args);
		put(g, t, &s, args++);
	}
}

void gen_format(struct gen *g, const char *format, const struct gen_format_arg *args, struct gen_str dst,
		LLVMValueRef work)
{
	struct gen_text t = gen_text_begin(g, dst, work);

	t.room = dst.cap;
	gen_format_append(g, &t, format, args);
	gen_text_end(g, &t);
}
