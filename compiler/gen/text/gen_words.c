// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_words.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_text.h"

#include <stdio.h>

#define MAX_UNROLLED 128 // bytes that are copied or zeroed without a loop
#define NO_MEMORY -65536
#define MAX_IN_PLACE 1024 // by a loop whose every round the verifier follows, when there is bpf_loop

// ---- words of long strings ----------------------------------------------------------------------

// The verifier remembers 8192 jumps that it has not followed yet, so long strings go through callbacks.
static bool is_long(const struct gen *g, uint32_t size)
{
	return size > MAX_IN_PLACE && g->engine->has(g, SP_FEATURE_BPF_LOOP);
}

struct long_words {
	uint32_t size;
	bool whole;
};

// The index is below size / 8; the verifier has to be told.
static LLVMValueRef word_offset(struct gen *g, const struct long_words *w, LLVMValueRef index)
{
	LLVMValueRef last = gen_i64(g, w->size / 8 - 1);

	index = gen_keep(g, index);
	index = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULT, index, last, ""), index, last, "");
	return LLVMBuildShl(g->b, gen_keep(g, index), gen_i64(g, 3), "");
}

static LLVMValueRef copy_word(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct long_words *w = arg;
	LLVMValueRef at = word_offset(g, w, index), word = gen_load(g, gen_at_index(g, live[1], at));

	gen_store(g, word, gen_at_index(g, live[0], at));
	return w->whole ? LLVMConstInt(g->i1, 1, false) : gen_is_zero(g, gen_text_zeros(g, word));
}

static LLVMValueRef compare_word(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	LLVMValueRef at = word_offset(g, arg, index), words[2];

	for (unsigned i = 0; i < 2; i++) {
		words[i] = gen_load(g, gen_at_index(g, live[i], at));
		gen_store(g, words[i], gen_at(g, live[2], i * 8ull));
	}
	return LLVMBuildICmp(g->b, LLVMIntEQ, words[0], words[1], "");
}

static LLVMValueRef find_end(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	LLVMValueRef at = word_offset(g, arg, index), word = gen_load(g, gen_at_index(g, live[0], at));

	gen_store(g, at, live[1]);
	gen_store(g, word, gen_at(g, live[1], 8));
	return gen_is_zero(g, gen_text_zeros(g, word));
}

// A choice in each round would double the paths: the mask of what is left, in memory, needs none.
static LLVMValueRef pad_word(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	LLVMValueRef at = gen_at_index(g, live[0], word_offset(g, arg, index)), word = gen_load(g, at), zeros = gen_text_zeros(g, word), first, left;

	first = LLVMBuildAnd(g->b, zeros, LLVMBuildNeg(g->b, zeros, ""), "");
	first = LLVMBuildSub(g->b, LLVMBuildLShr(g->b, first, gen_i64(g, 7), ""), gen_i64(g, 1), "");
	left = gen_load(g, live[1]);
	gen_store(g, LLVMBuildAnd(g->b, LLVMBuildAnd(g->b, word, first, ""), left, ""), at);
	zeros = gen_keep(g, LLVMBuildOr(g->b, zeros, LLVMBuildNeg(g->b, zeros, ""), ""));
	gen_store(g, LLVMBuildAnd(g->b, left, LLVMBuildNot(g->b, LLVMBuildAShr(g->b, zeros, gen_i64(g, 63), ""), ""), ""), live[1]);
	return LLVMConstInt(g->i1, 1, false);
}

static void repeat_words(struct gen *g, struct gen_repeat *r, const char *what, uint32_t size, bool whole)
{
	struct long_words w = { size, whole };
	char name[48];

	snprintf(name, sizeof(name), "str_%s_%u%s", what, size, whole ? "_whole" : "");
	r->name = name;
	r->trips = size / 8;
	r->arg = &w;
	gen_repeat(g, r);
}

// ---- texts of usual length ------------------------------------------------------------------------

// A loop over the words of one text or two.
struct loop {
	const char *what;
	unsigned n_ptrs;
	uint32_t ahead; // bytes that are looked at before the function is called, if it is one: short texts, which most are, end there
	/** An i1: does it go on behind the word at `index`? NULL: always. `found`: variables. */
	LLVMValueRef (*round)(struct gen *g, const LLVMValueRef *ptrs, LLVMValueRef index, const LLVMValueRef *found);
	LLVMValueRef (*result)(struct gen *g, const LLVMValueRef *found); // a long of what was found last; NULL: none
};

static void go_round(struct gen *g, const struct loop *l, const LLVMValueRef *ptrs, LLVMValueRef index, const LLVMValueRef *found,
		     LLVMBasicBlockRef done)
{
	LLVMValueRef go = l->round(g, ptrs, index, found);
	LLVMBasicBlockRef more;

	if (!go)
		return;
	more = gen_block(g);
	gen_branch(g, go, more, done);
	gen_enter(g, more);
}

static LLVMValueRef result_of(struct gen *g, const struct loop *l, const LLVMValueRef *found)
{
	return l->result ? l->result(g, found) : gen_i64(g, 0);
}

static LLVMValueRef in_place(struct gen *g, const struct loop *l, const LLVMValueRef *ptrs, uint32_t from, uint32_t size)
{
	LLVMValueRef variable = gen_variable(g), found[2] = { gen_variable(g), gen_variable(g) }, index, next;
	LLVMBasicBlockRef head = gen_block(g), done = gen_block(g);

	gen_store(g, gen_i64(g, from), variable);
	gen_goto(g, head);
	gen_enter(g, head);
	index = gen_load(g, variable);
	go_round(g, l, ptrs, index, found, done);
	next = LLVMBuildAdd(g->b, index, gen_i64(g, 8), "");
	gen_store(g, next, variable);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, next, gen_i64(g, size), ""), head, done);
	gen_enter(g, done);
	return result_of(g, l, found);
}

static LLVMValueRef body(struct gen *g, const struct gen_once *once, const LLVMValueRef *ptrs)
{
	const struct loop *l = once->arg;

	return in_place(g, l, ptrs, l->ahead, once->size);
}

static LLVMValueRef call(struct gen *g, const struct loop *l, LLVMValueRef fn, const LLVMValueRef *ptrs)
{
	LLVMValueRef found[2] = { gen_variable(g), gen_variable(g) }, result = gen_variable(g), args[2] = { ptrs[0], ptrs[1] };
	LLVMBasicBlockRef ended = gen_block(g), done = gen_block(g);

	for (uint32_t at = 0; at < l->ahead; at += 8)
		go_round(g, l, ptrs, gen_i64(g, at), found, ended);
	gen_store(g, LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, l->n_ptrs, ""), result);
	gen_goto(g, done);
	gen_enter(g, ended);
	gen_store(g, result_of(g, l, found), result);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, result);
}

static LLVMValueRef run(struct gen *g, const struct loop *l, const LLVMValueRef ptrs[2], uint32_t size)
{
	const struct gen_once once = { l->what, { ptrs[0], ptrs[1] }, l->n_ptrs, size, l, body };
	const struct gen_engine_text *text = g->engine->text;
	LLVMValueRef fn = NULL;

	if (size > MAX_UNROLLED && text->once) // shorter ones may be on the stack, and not written yet
		fn = text->once(g, &once);
	return fn ? call(g, l, fn, ptrs) : in_place(g, l, ptrs, 0, size);
}

static LLVMValueRef zero_word(struct gen *g, const LLVMValueRef *ptrs, LLVMValueRef index, const LLVMValueRef *found SP_UNUSED)
{
	gen_store(g, gen_i64(g, 0), gen_at_index(g, ptrs[0], index));
	return NULL;
}

static LLVMValueRef copy_any_word(struct gen *g, const LLVMValueRef *ptrs, LLVMValueRef index, const LLVMValueRef *found SP_UNUSED)
{
	gen_store(g, gen_load(g, gen_at_index(g, ptrs[1], index)), gen_at_index(g, ptrs[0], index));
	return NULL;
}

static LLVMValueRef copy_text_word(struct gen *g, const LLVMValueRef *ptrs, LLVMValueRef index, const LLVMValueRef *found SP_UNUSED)
{
	LLVMValueRef word = gen_load(g, gen_at_index(g, ptrs[1], index));

	gen_store(g, word, gen_at_index(g, ptrs[0], index));
	return gen_is_zero(g, gen_text_zeros(g, word));
}

// Equal texts end where there is a NUL: behind it are zeros.
static LLVMValueRef compare_words(struct gen *g, const LLVMValueRef *ptrs, LLVMValueRef index, const LLVMValueRef *found)
{
	LLVMValueRef words[2], differs;

	for (unsigned i = 0; i < 2; i++) {
		words[i] = gen_load(g, gen_at_index(g, ptrs[i], index));
		gen_store(g, words[i], found[i]);
	}
	differs = LLVMBuildXor(g->b, words[0], words[1], "");
	return gen_is_zero(g, LLVMBuildOr(g->b, differs, gen_text_zeros(g, words[0]), ""));
}

LLVMValueRef gen_words_swap(struct gen *g, LLVMValueRef word)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.bswap", strlen("llvm.bswap"));
	LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->mod, id, &g->i64, 1);

	return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->ctx, id, &g->i64, 1), fn, &word, 1, "");
}

static LLVMValueRef order_of(struct gen *g, const LLVMValueRef *found)
{
	LLVMValueRef a = gen_words_swap(g, gen_load(g, found[0])), b = gen_words_swap(g, gen_load(g, found[1])), above, below;

	above = gen_bool(g, LLVMBuildICmp(g->b, LLVMIntUGT, a, b, ""));
	below = gen_bool(g, LLVMBuildICmp(g->b, LLVMIntULT, a, b, ""));
	return LLVMBuildSub(g->b, above, below, "");
}

static LLVMValueRef find_nul(struct gen *g, const LLVMValueRef *ptrs, LLVMValueRef index, const LLVMValueRef *found)
{
	LLVMValueRef word = gen_load(g, gen_at_index(g, ptrs[0], index));

	gen_store(g, index, found[0]);
	gen_store(g, word, found[1]);
	return gen_is_zero(g, gen_text_zeros(g, word));
}

// The verifier follows each way out of the loop, so there is one a word; within it, the count comes without branches.
static LLVMValueRef length_of(struct gen *g, const LLVMValueRef *found)
{
	return LLVMBuildAdd(g->b, gen_load(g, found[0]), gen_text_count(g, gen_load(g, found[1])), "");
}

#define AHEAD 16

static const struct loop zeros = { "zero", 1, 0, zero_word, NULL }, copy_any = { "copy_whole", 2, 0, copy_any_word, NULL },
			 copy_text = { "copy", 2, AHEAD, copy_text_word, NULL }, compare = { "compare", 2, AHEAD, compare_words, order_of },
			 length = { "length", 1, AHEAD, find_nul, length_of };

// ---- all ------------------------------------------------------------------------------------------

void gen_words_zero(struct gen *g, LLVMValueRef ptr, uint32_t size)
{
	if (size > g->engine->text->most_in_place) {
		g->engine->text->copy(g, (struct gen_str){ ptr, size }, (struct gen_str){ gen_constant(g, "", 1), 8 });
		return;
	}
	if (size <= MAX_UNROLLED) {
		for (uint32_t i = 0; i < size; i += 8)
			gen_store(g, gen_i64(g, 0), gen_at(g, ptr, i));
		return;
	}
	if (is_long(g, size)) { // what cannot be read is zeros: no program has memory at the kernel's last addresses
		gen_call(g, GEN_READ_USER, 3, ptr, gen_i64(g, size), gen_i64(g, NO_MEMORY));
		return;
	}
	run(g, &zeros, (LLVMValueRef[]){ ptr, NULL }, size);
}

void gen_words_copy(struct gen *g, LLVMValueRef dst, LLVMValueRef src, uint32_t size, bool whole)
{
	if (size <= MAX_UNROLLED) {
		for (uint32_t i = 0; i < size; i += 8)
			gen_store(g, gen_load(g, gen_at(g, src, i)), gen_at(g, dst, i));
		return;
	}
	if (is_long(g, size)) {
		repeat_words(g, &(struct gen_repeat){ .live = { dst, src }, .n_live = 2, .body = copy_word }, "copy", size,
			     whole);
		return;
	}
	run(g, whole ? &copy_any : &copy_text, (LLVMValueRef[]){ dst, src }, size);
}

void gen_words_pad(struct gen *g, struct gen_str s)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef left = gen_temp(g, 8);

	gen_store_sized(g, gen_i64(g, 0), gen_at(g, s.ptr, s.cap - 1), 1);
	gen_store(g, gen_i64(g, -1), left);
	repeat_words(g, &(struct gen_repeat){ .live = { s.ptr, left }, .n_live = 2, .body = pad_word }, "pad", s.cap, true);
	gen_release(g, mark);
}

static LLVMValueRef compare_long(struct gen *g, struct gen_str a, struct gen_str b, uint32_t size)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef found[2] = { gen_temp(g, 16) }, result;

	found[1] = gen_at(g, found[0], 8);
	gen_store(g, gen_i64(g, 0), found[0]);
	gen_store(g, gen_i64(g, 0), found[1]);
	repeat_words(g, &(struct gen_repeat){ .live = { a.ptr, b.ptr, found[0] }, .n_live = 3, .body = compare_word }, "compare",
		     size, true);
	result = order_of(g, found);
	gen_release(g, mark);
	return result;
}

LLVMValueRef gen_words_compare(struct gen *g, struct gen_str a, struct gen_str b)
{
	uint32_t size = SP_MIN(a.cap, b.cap);

	return is_long(g, size) ? compare_long(g, a, b, size) : run(g, &compare, (LLVMValueRef[]){ a.ptr, b.ptr }, size);
}

static LLVMValueRef length_long(struct gen *g, struct gen_str s)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef found[2] = { gen_temp(g, 16) }, result;

	found[1] = gen_at(g, found[0], 8);
	gen_store(g, gen_i64(g, 0), found[0]);
	gen_store(g, gen_i64(g, 0), found[1]);
	repeat_words(g, &(struct gen_repeat){ .live = { s.ptr, found[0] }, .n_live = 2, .body = find_end }, "length", s.cap, true);
	result = length_of(g, found);
	gen_release(g, mark);
	return result;
}

LLVMValueRef gen_words_length(struct gen *g, struct gen_str s)
{
	// The verifier forgets the number, else it would follow each length from here on.
	return gen_forget(g, is_long(g, s.cap) ? length_long(g, s) : run(g, &length, (LLVMValueRef[]){ s.ptr, NULL }, s.cap));
}
