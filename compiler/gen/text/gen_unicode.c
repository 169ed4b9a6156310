// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_unicode.h"

#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_text.h"
#include "compiler/gen/value/gen_expr.h"

#include <stdio.h>

#define NAME_SIZE 64

static LLVMValueRef is(struct gen *g, LLVMIntPredicate predicate, LLVMValueRef a, int64_t b)
{
	return LLVMBuildICmp(g->b, predicate, a, gen_i64(g, b), "");
}

static LLVMValueRef bits_of(struct gen *g, LLVMValueRef x, unsigned from, uint64_t mask)
{
	return LLVMBuildAnd(g->b, LLVMBuildLShr(g->b, x, gen_i64(g, from), ""), gen_i64(g, (int64_t)mask), "");
}

// ---- UTF-8 --------------------------------------------------------------------------------------

struct character {
	LLVMValueRef code, n; // bytes; 1 when they are no UTF-8: the code is that of the byte
};

// 0: it is that
static LLVMValueRef differs(struct gen *g, LLVMValueRef x, uint64_t from)
{
	return LLVMBuildXor(g->b, x, gen_i64(g, (int64_t)from), "");
}

// Sequences as RFC 3629 has them: none longer than need be, no surrogates. What is wrong with one is the sign of one number: the verifier
// would follow each condition alone for each way of those before it.
static struct character decode(struct gen *g, LLVMValueRef word)
{
	static const struct {
		uint64_t mask, is, head;
		int64_t least, most;
	} forms[] = {
		{ 0xc0e0, 0x80c0, 0x1f, 0x80, 0x7ff },
		{ 0xc0c0f0, 0x8080e0, 0x0f, 0x800, 0xffff },
		{ 0xc0c0c0f8, 0x808080f0, 0x07, 0x10000, 0x10ffff },
	};
	struct character c = { bits_of(g, word, 0, 0xff), gen_i64(g, 1) };

	for (unsigned i = 0; i < SP_ARRAY_SIZE(forms); i++) {
		LLVMValueRef code = bits_of(g, word, 0, forms[i].head), wrong, ok;

		for (unsigned k = 1; k <= i + 1; k++)
			code = LLVMBuildOr(g->b, LLVMBuildShl(g->b, code, gen_i64(g, 6), ""),
					   bits_of(g, word, k * 8, 0x3f), "");
		wrong = LLVMBuildNeg(g->b, differs(g, bits_of(g, word, 0, forms[i].mask), forms[i].is), "");
		wrong = LLVMBuildOr(g->b, wrong, LLVMBuildSub(g->b, code, gen_i64(g, forms[i].least), ""), "");
		wrong = LLVMBuildOr(g->b, wrong, LLVMBuildSub(g->b, gen_i64(g, forms[i].most), code, ""), "");
		wrong = LLVMBuildOr(g->b, wrong, LLVMBuildSub(g->b, differs(g, bits_of(g, code, 11, 0x3ff), 0xd800 >> 11), gen_i64(g, 1), ""), "");
		ok = is(g, LLVMIntSGE, wrong, 0);
		c.code = LLVMBuildSelect(g->b, ok, code, c.code, "");
		c.n = LLVMBuildSelect(g->b, ok, gen_i64(g, i + 2), c.n, "");
	}
	return c;
}

// ---- quoting ------------------------------------------------------------------------------------

// The 8 hexadecimal digits of 32 bits, the first one in the lowest byte.
static LLVMValueRef hex_word(struct gen *g, LLVMValueRef code)
{
	LLVMValueRef word = gen_i64(g, 0);

	for (unsigned i = 0; i < 8; i++) {
		LLVMValueRef digit = bits_of(g, code, (7 - i) * 4, 15), letter;

		letter = LLVMBuildMul(g->b, gen_bool(g, is(g, LLVMIntUGE, digit, 10)),
				      gen_i64(g, 'A' - '9' - 1), "");
		digit = LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, digit, gen_i64(g, '0'), ""), letter, "");
		word = LLVMBuildOr(g->b, word, LLVMBuildShl(g->b, digit, gen_i64(g, i * 8), ""), "");
	}
	return word;
}

struct quote {
	uint32_t cap, dst_cap;
};

// CELL_A: the next character, in the source. CELL_B: the end of the text that can stay when "... follows.
// CELL_C: 1 when not everything has room. live: source, dst, work, table, room for text, that when it is cut.
static LLVMValueRef quote_at(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct quote *q = arg;
	struct gen_text t = { .dst = { live[1], q->dst_cap }, .work = live[2] };
	LLVMBasicBlockRef there = gen_block(g), wide = gen_block(g), narrow = gen_block(g), put = gen_block(g),
			  fits = gen_block(g), full = gen_block(g), stays = gen_block(g), done = gen_block(g);
	LLVMValueRef at, word, go = gen_variable(g), first = gen_variable(g), second = gen_variable(g),
			       n = gen_variable(g), end, row, big;
	struct character c;

	(void)index;
	at = gen_cell(g, live[2], GEN_CELL_A);
	word = gen_text_word(g, (struct gen_str){ live[0], q->cap }, at);
	gen_store(g, gen_i64(g, 0), go);
	gen_branch(g, gen_is_zero(g, bits_of(g, word, 0, 0xff)), done, there);
	gen_enter(g, there);
	c = decode(g, word);
	gen_cell_set(g, live[2], GEN_CELL_A, LLVMBuildAdd(g->b, at, c.n, ""));
	gen_branch(g, is(g, LLVMIntUGT, c.n, 1), wide, narrow);
	gen_enter(g, wide); // \uXXXX or \UXXXXXXXX
	word = hex_word(g, c.code);
	big = is(g, LLVMIntUGT, c.code, 0xffff);
	row = LLVMBuildShl(g->b, LLVMBuildLShr(g->b, word, gen_i64(g, 32), ""), gen_i64(g, 16), "");
	row = LLVMBuildOr(g->b, row, gen_i64(g, '\\' | 'u' << 8), "");
	end = LLVMBuildOr(g->b, LLVMBuildShl(g->b, word, gen_i64(g, 16), ""), gen_i64(g, '\\' | 'U' << 8), "");
	gen_store(g, LLVMBuildSelect(g->b, big, end, row, ""), first);
	end = LLVMBuildLShr(g->b, word, gen_i64(g, 48), "");
	gen_store(g, LLVMBuildSelect(g->b, big, end, gen_i64(g, 0), ""), second);
	gen_store(g, LLVMBuildSelect(g->b, big, gen_i64(g, 10), gen_i64(g, 6), ""), n);
	gen_goto(g, put);
	gen_enter(g, narrow);
	row = LLVMBuildShl(g->b, bits_of(g, c.code, 0, 0xff), gen_i64(g, 3), "");
	row = gen_load(g, gen_at_index(g, live[3], row));
	gen_store(g, bits_of(g, row, 0, UINT64_MAX >> 8), first);
	gen_store(g, gen_i64(g, 0), second);
	gen_store(g, LLVMBuildLShr(g->b, row, gen_i64(g, 56), ""), n);
	gen_goto(g, put);
	gen_enter(g, put);
	end = LLVMBuildAdd(g->b, gen_cell(g, live[2], GEN_CELL_END), gen_load(g, n), "");
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, end, live[4], ""), fits, full);
	gen_enter(g, full);
	gen_cell_set(g, live[2], GEN_CELL_C, gen_i64(g, 1));
	gen_goto(g, done);
	gen_enter(g, fits);
	gen_text_put(g, &t, gen_load(g, first), gen_i64(g, 8));
	gen_text_put(g, &t, gen_load(g, second), gen_i64(g, 0)); // only ever longer texts have one
	gen_cell_set(g, live[2], GEN_CELL_END, end);
	gen_store(g, gen_i64(g, 1), go);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULE, end, live[5], ""), stays, done);
	gen_enter(g, stays);
	gen_cell_set(g, live[2], GEN_CELL_B, end);
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildNot(g->b, gen_is_zero(g, gen_load(g, go)), "");
}

// The room is counted from the start of the text, with the first quote in it. In quotes there is always room for some.
void gen_unicode_quote(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	struct gen_str s = gen_str_address(g, e->args[0]);
	LLVMValueRef len = gen_long(g, e->args[1]), quoted = gen_long(g, e->args[2]), work, most, small, room,
		     some, rest;
	LLVMBasicBlockRef with = gen_block(g), cut = gen_block(g), whole = gen_block(g), done = gen_block(g);
	struct quote q = { s.cap, dst.cap };
	struct gen_repeat r = { .trips = s.cap, .n_live = 6, .arg = &q, .body = quote_at };
	struct gen_text t;
	char name[NAME_SIZE];

	work = gen_slot(g, gen_plan(g, e)->work);
	most = gen_i64(g, g->unit->max_string - 1);
	some = is(g, LLVMIntULT, LLVMBuildSub(g->b, len, gen_i64(g, 1), ""), g->unit->max_string - 1);
	len = LLVMBuildSelect(g->b, some, len, most, "");
	quoted = gen_bool(g, is(g, LLVMIntNE, quoted, 0));
	small = LLVMBuildSelect(g->b, is(g, LLVMIntULT, len, 5), gen_i64(g, 5), len, "");
	room = LLVMBuildSub(g->b, LLVMBuildSelect(g->b, is(g, LLVMIntNE, quoted, 0), small, len, ""), quoted, "");
	rest = LLVMBuildSub(g->b, room, gen_i64(g, 3), "");
	t = gen_text_begin(g, dst, work);
	t.room = dst.cap;
	gen_text_put(g, &t, LLVMBuildMul(g->b, quoted, gen_i64(g, '"'), ""), quoted);
	t.room = 0;
	gen_cell_set(g, work, GEN_CELL_A, gen_i64(g, 0));
	gen_cell_set(g, work, GEN_CELL_B, quoted);
	gen_cell_set(g, work, GEN_CELL_C, gen_i64(g, 0));
	snprintf(name, sizeof(name), "text_quote_%u_%u", s.cap, dst.cap);
	r.name = name;
	r.live[0] = s.ptr;
	r.live[1] = dst.ptr;
	r.live[2] = work;
	r.live[3] = gen_text_escapes(g, "\aa\bb\ff\nn\rr\tt\vv\"\"\\\\");
	r.live[4] = room;
	r.live[5] = rest;
	gen_repeat(g, &r);
	gen_branch(g, is(g, LLVMIntNE, quoted, 0), with, done);
	gen_enter(g, with);
	gen_branch(g, is(g, LLVMIntNE, gen_cell(g, work, GEN_CELL_C), 0), cut, whole);
	gen_enter(g, cut); // over the characters behind, which are at most 12 bytes
	gen_cell_set(g, work, GEN_CELL_END, gen_cell(g, work, GEN_CELL_B));
	gen_text_put(g, &t, gen_i64(g, '"' | '.' << 8 | '.' << 16 | '.' << 24), gen_i64(g, 8));
	gen_text_put(g, &t, gen_i64(g, 0), gen_i64(g, 0));
	gen_goto(g, done);
	gen_enter(g, whole);
	gen_text_put(g, &t, gen_i64(g, '"'), gen_i64(g, 1));
	gen_goto(g, done);
	gen_enter(g, done);
	gen_text_end(g, &t);
}
