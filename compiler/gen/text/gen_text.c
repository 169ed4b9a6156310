// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_text.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_words.h"

#include <stdio.h>

#define ONES 0x0101010101010101
#define HIGHS 0x8080808080808080
#define NAME_SIZE 64
#define ESCAPE_SIZE 8

LLVMValueRef gen_cell(struct gen *g, LLVMValueRef work, enum gen_cell cell)
{
	return gen_load_volatile(g, gen_at(g, work, (uint64_t)cell * 8));
}

void gen_cell_set(struct gen *g, LLVMValueRef work, enum gen_cell cell, LLVMValueRef value)
{
	gen_store_volatile(g, value, gen_at(g, work, (uint64_t)cell * 8));
}

// ---- words --------------------------------------------------------------------------------------

static LLVMValueRef times8(struct gen *g, LLVMValueRef n)
{
	return LLVMBuildShl(g->b, n, gen_i64(g, 3), "");
}

// All bits when n is below 8, none otherwise: without a branch, each of which is a path of its own for the verifier.
static LLVMValueRef below_8(struct gen *g, LLVMValueRef n)
{
	LLVMValueRef sign = LLVMBuildAnd(g->b, LLVMBuildSub(g->b, n, gen_i64(g, 8), ""), LLVMBuildNot(g->b, n, ""), "");

	return LLVMBuildAShr(g->b, sign, gen_i64(g, 63), "");
}

static LLVMValueRef shift_of(struct gen *g, LLVMValueRef n)
{
	return LLVMBuildAnd(g->b, times8(g, n), gen_i64(g, 63), "");
}

// A string's memory has at least 8 bytes. Where fewer than 8 are left at `offset`, those are the high bytes of its last
// word.
LLVMValueRef gen_text_word(struct gen *g, struct gen_str s, LLVMValueRef offset)
{
	LLVMBasicBlockRef whole = gen_block(g), edge = gen_block(g), done = gen_block(g);
	LLVMValueRef result = gen_variable(g), word, last = gen_i64(g, s.cap - 8), over;

	offset = gen_keep(g, offset);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, offset, last, ""), whole, edge);
	gen_enter(g, whole);
	gen_store(g, gen_load(g, gen_at_index(g, s.ptr, offset)), result);
	gen_goto(g, done);
	gen_enter(g, edge);
	over = LLVMBuildSub(g->b, offset, last, "");
	word = LLVMBuildLShr(g->b, gen_load(g, gen_at(g, s.ptr, s.cap - 8)), shift_of(g, over), "");
	gen_store(g, LLVMBuildAnd(g->b, word, below_8(g, over), ""), result);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, result);
}

// Of a word that is not `in_room`, the part that is inside.
static void put_word(struct gen *g, struct gen_str s, LLVMValueRef offset, LLVMValueRef word, bool in_room)
{
	LLVMBasicBlockRef whole = gen_block(g), edge = gen_block(g), some = gen_block(g), done = gen_block(g);
	LLVMValueRef last = gen_i64(g, s.cap - 8), ptr, over, shift, mask, old;

	offset = gen_keep(g, offset);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, offset, last, ""), whole, in_room ? done : edge);
	gen_enter(g, whole);
	gen_store(g, word, gen_at_index(g, s.ptr, offset));
	gen_goto(g, done);
	gen_enter(g, edge);
	over = LLVMBuildSub(g->b, offset, last, "");
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, over, gen_i64(g, 8), ""), some, done);
	gen_enter(g, some);
	ptr = gen_at(g, s.ptr, s.cap - 8);
	shift = times8(g, over);
	mask = LLVMBuildShl(g->b, gen_i64(g, -1), shift, ""); // what changes
	old = LLVMBuildAnd(g->b, gen_load(g, ptr), LLVMBuildNot(g->b, mask, ""), "");
	gen_store(g, LLVMBuildOr(g->b, old, LLVMBuildShl(g->b, word, shift, ""), ""), ptr);
	gen_goto(g, done);
	gen_enter(g, done);
}

LLVMValueRef gen_text_byte(struct gen *g, struct gen_str s, LLVMValueRef offset)
{
	LLVMBasicBlockRef inside = gen_block(g), done = gen_block(g);
	LLVMValueRef result = gen_variable(g);

	offset = gen_keep(g, offset);
	gen_store(g, gen_i64(g, 0), result);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, offset, gen_i64(g, s.cap), ""), inside, done);
	gen_enter(g, inside);
	gen_store(g, gen_load_sized(g, gen_at_index(g, s.ptr, offset), 1, false), result);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, result);
}

LLVMValueRef gen_text_zeros(struct gen *g, LLVMValueRef word)
{
	LLVMValueRef low = LLVMBuildSub(g->b, word, gen_i64(g, ONES), "");
	LLVMValueRef high = LLVMBuildAnd(g->b, low, LLVMBuildNot(g->b, word, ""), "");

	return LLVMBuildAnd(g->b, high, gen_i64(g, (int64_t)HIGHS), "");
}

// The lowest bit that says "zero", moved to the lowest bit of its byte, is above one 1 for each byte before it.
LLVMValueRef gen_text_count(struct gen *g, LLVMValueRef word)
{
	LLVMValueRef zeros = gen_text_zeros(g, word), bits;

	bits = LLVMBuildAnd(g->b, zeros, LLVMBuildNeg(g->b, zeros, ""), "");
	bits = LLVMBuildSub(g->b, LLVMBuildLShr(g->b, bits, gen_i64(g, 7), ""), gen_i64(g, 1), "");
	bits = LLVMBuildMul(g->b, LLVMBuildAnd(g->b, bits, gen_i64(g, ONES), ""), gen_i64(g, ONES), "");
	return LLVMBuildLShr(g->b, bits, gen_i64(g, 56), "");
}

// None of its bytes when n is not above 0, all from 8 on.
LLVMValueRef gen_text_first(struct gen *g, LLVMValueRef word, LLVMValueRef n)
{
	LLVMValueRef some = LLVMBuildSub(g->b, LLVMBuildShl(g->b, gen_i64(g, 1), shift_of(g, n), ""), gen_i64(g, 1), "");
	LLVMValueRef all = LLVMBuildAShr(g->b, LLVMBuildSub(g->b, gen_i64(g, 7), n, ""), gen_i64(g, 63), "");
	LLVMValueRef any = LLVMBuildNot(g->b, LLVMBuildAShr(g->b, n, gen_i64(g, 63), ""), "");

	return LLVMBuildAnd(g->b, word, LLVMBuildAnd(g->b, LLVMBuildOr(g->b, some, all, ""), any, ""), "");
}

LLVMValueRef gen_text_hex(struct gen *g, LLVMValueRef half)
{
	static const uint64_t masks[] = { 0x0000ffff0000ffff, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f };
	LLVMValueRef letters;

	for (unsigned i = 0; i < SP_ARRAY_SIZE(masks); i++) {
		LLVMValueRef moved = LLVMBuildShl(g->b, half, gen_i64(g, 16 >> i), "");

		half = LLVMBuildAnd(g->b, LLVMBuildOr(g->b, half, moved, ""), gen_i64(g, (int64_t)masks[i]), "");
	}
	letters = LLVMBuildAdd(g->b, half, gen_text_spread(g, gen_i64(g, 6)), "");
	letters = LLVMBuildAnd(g->b, LLVMBuildLShr(g->b, letters, gen_i64(g, 4), ""), gen_text_spread(g, gen_i64(g, 1)), "");
	letters = LLVMBuildMul(g->b, letters, gen_i64(g, 'a' - '9' - 1), "");
	half = LLVMBuildAdd(g->b, half, gen_text_spread(g, gen_i64(g, '0')), "");
	return gen_words_swap(g, LLVMBuildAdd(g->b, half, letters, ""));
}

LLVMValueRef gen_text_spread(struct gen *g, LLVMValueRef byte)
{
	return LLVMBuildMul(g->b, byte, gen_i64(g, ONES), "");
}

// Word by word, up to the one with the needle's NUL. Behind the text are zeros, which no word without a NUL is like. One way out of the
// loop and what is decided behind it are fewer paths for the verifier.
LLVMValueRef gen_text_match(struct gen *g, struct gen_str s, LLVMValueRef offset, struct gen_str needle)
{
	LLVMBasicBlockRef head = gen_block(g), next = gen_block(g), done = gen_block(g);
	LLVMValueRef difference = gen_variable(g), at = gen_variable(g), i, word, want, n, stop;
	uint32_t most = SP_MIN(needle.cap, (s.cap + 15) & ~7u);

	gen_store(g, gen_i64(g, 0), at);
	gen_goto(g, head);
	gen_enter(g, head);
	i = gen_load(g, at);
	want = gen_load(g, gen_at_index(g, needle.ptr, i));
	n = gen_text_count(g, want);
	word = gen_text_first(g, gen_text_word(g, s, LLVMBuildAdd(g->b, offset, i, "")), n);
	word = LLVMBuildXor(g->b, word, want, "");
	gen_store(g, word, difference);
	stop = LLVMBuildOr(g->b, word, LLVMBuildXor(g->b, n, gen_i64(g, 8), ""), "");
	gen_branch(g, gen_is_zero(g, stop), next, done);
	gen_enter(g, next);
	i = gen_keep(g, LLVMBuildAdd(g->b, i, gen_i64(g, 8), ""));
	gen_store(g, i, at);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, i, gen_i64(g, most), ""), head, done);
	gen_enter(g, done);
	return gen_is_zero(g, gen_load(g, difference));
}

LLVMValueRef gen_text_escapes(struct gen *g, const char *short_ones)
{
	char table[256 * ESCAPE_SIZE] = "";

	for (unsigned c = 0; c < 256; c++) {
		char *row = table + (size_t)c * ESCAPE_SIZE, text[ESCAPE_SIZE];
		const char *s = short_ones;

		while (*s && (unsigned char)*s != c)
			s += 2;
		if (c && *s)
			snprintf(text, sizeof(text), "\\%c", s[1]);
		else if (c >= 0x20 && c < 0x7f)
			snprintf(text, sizeof(text), "%c", (char)c);
		else
			snprintf(text, sizeof(text), "\\%03o", c);
		memcpy(row, text, strlen(text));
		row[ESCAPE_SIZE - 1] = (char)strlen(text);
	}
	return gen_constant(g, table, sizeof(table));
}

// ---- texts --------------------------------------------------------------------------------------

struct gen_text gen_text_begin(struct gen *g, struct gen_str dst, LLVMValueRef work)
{
	gen_words_zero(g, dst.ptr, dst.cap);
	gen_cell_set(g, work, GEN_CELL_END, gen_i64(g, 0));
	return (struct gen_text){ .dst = dst, .work = work };
}

void gen_text_use(struct gen_text *t, uint32_t most)
{
	t->room -= SP_MIN(t->room, most);
}

void gen_text_put(struct gen *g, struct gen_text *t, LLVMValueRef word, LLVMValueRef n)
{
	LLVMValueRef end;

	if (t->room == t->dst.cap) {
		gen_store(g, word, t->dst.ptr);
		gen_cell_set(g, t->work, GEN_CELL_END, n);
	} else {
		end = gen_cell(g, t->work, GEN_CELL_END);
		put_word(g, t->dst, end, word, t->room >= 8);
		gen_cell_set(g, t->work, GEN_CELL_END, LLVMBuildAdd(g->b, end, n, ""));
	}
	gen_text_use(t, LLVMIsAConstantInt(n) ? (uint32_t)LLVMConstIntGetZExtValue(n) : 8);
}

struct append {
	uint32_t src_cap, dst_cap;
	bool has_from, has_limit;
};

static LLVMValueRef append_word(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct append *a = arg;
	struct gen_text t = { .dst = { live[1], a->dst_cap }, .work = live[2] };
	LLVMValueRef at = times8(g, index), offset = at, word, n, go;

	if (a->has_from)
		offset = LLVMBuildAdd(g->b, at, live[3], "");
	word = gen_text_word(g, (struct gen_str){ live[0], a->src_cap }, offset);
	if (a->has_limit)
		word = gen_text_first(g, word, LLVMBuildSub(g->b, live[3 + a->has_from], at, ""));
	n = gen_text_count(g, word);
	gen_text_put(g, &t, word, n);
	go = LLVMBuildICmp(g->b, LLVMIntEQ, n, gen_i64(g, 8), "");
	return go;
}

void gen_text_append(struct gen *g, struct gen_text *t, struct gen_str src, LLVMValueRef from, LLVMValueRef limit)
{
	struct append a = { src.cap, t->dst.cap, from != NULL, limit != NULL };
	struct gen_repeat r = { .trips = SP_MIN(src.cap, t->dst.cap) / 8,
				.live = { src.ptr, t->dst.ptr, t->work },
				.n_live = 3,
				.arg = &a,
				.body = append_word };
	char name[NAME_SIZE];

	if (from)
		r.live[r.n_live++] = from;
	if (limit)
		r.live[r.n_live++] = limit;
	snprintf(name, sizeof(name), "text_append_%u_%u%s%s", src.cap, t->dst.cap, from ? "_from" : "",
		 limit ? "_limit" : "");
	r.name = name;
	gen_repeat(g, &r);
	gen_text_use(t, src.cap);
}

void gen_text_literal(struct gen *g, struct gen_text *t, const char *bytes, uint32_t len)
{
	for (uint32_t i = 0; i < len; i += 8) {
		uint32_t n = SP_MIN(len - i, 8u);
		uint64_t word = 0;

		memcpy(&word, bytes + i, n);
		gen_text_put(g, t, gen_i64(g, (int64_t)word), gen_i64(g, n));
	}
}

struct fill {
	uint32_t dst_cap;
	char byte;
};

static LLVMValueRef fill_word(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct fill *f = arg;
	struct gen_text t = { .dst = { live[0], f->dst_cap }, .work = live[1] };
	LLVMValueRef word = gen_text_spread(g, gen_i64(g, f->byte)), n;

	word = gen_text_first(g, word, LLVMBuildSub(g->b, live[2], times8(g, index), ""));
	n = gen_text_count(g, word);
	gen_text_put(g, &t, word, n);
	return LLVMBuildICmp(g->b, LLVMIntEQ, n, gen_i64(g, 8), "");
}

void gen_text_fill(struct gen *g, struct gen_text *t, char byte, LLVMValueRef n)
{
	struct fill f = { t->dst.cap, byte };
	struct gen_repeat r = { .trips = t->dst.cap / 8,
				.live = { t->dst.ptr, t->work, n },
				.n_live = 3,
				.arg = &f,
				.body = fill_word };
	char name[NAME_SIZE];

	if (LLVMIsAConstantInt(n) && LLVMConstIntGetSExtValue(n) <= 0)
		return;
	snprintf(name, sizeof(name), "text_fill_%u_%d", t->dst.cap, byte);
	r.name = name;
	gen_repeat(g, &r);
	t->room = 0;
}

void gen_text_end(struct gen *g, struct gen_text *t)
{
	LLVMValueRef end = gen_cell(g, t->work, GEN_CELL_END);

	gen_fail_count_if(g, LLVMBuildICmp(g->b, LLVMIntUGE, end, gen_i64(g, t->dst.cap), ""), SP_LOSS_CUT);
	gen_store_sized(g, gen_i64(g, 0), gen_at(g, t->dst.ptr, t->dst.cap - 1), 1);
}

static LLVMValueRef count_word(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const uint32_t *cap = arg;
	LLVMValueRef word = gen_text_word(g, (struct gen_str){ live[0], *cap }, times8(g, index));
	LLVMValueRef n = gen_text_count(g, word);

	gen_cell_set(g, live[1], GEN_CELL_A, LLVMBuildAdd(g->b, gen_cell(g, live[1], GEN_CELL_A), n, ""));
	return LLVMBuildICmp(g->b, LLVMIntEQ, n, gen_i64(g, 8), "");
}

LLVMValueRef gen_text_length(struct gen *g, struct gen_str s, LLVMValueRef work)
{
	struct gen_repeat r = {
		.trips = s.cap / 8, .live = { s.ptr, work }, .n_live = 2, .arg = &s.cap, .body = count_word
	};
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "text_length_%u", s.cap);
	r.name = name;
	gen_cell_set(g, work, GEN_CELL_A, gen_i64(g, 0));
	gen_repeat(g, &r);
	return gen_cell(g, work, GEN_CELL_A);
}
