// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_words.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_text.h"

#include <stdio.h>

#define MAX_UNROLLED 128 // bytes that are copied or zeroed without a loop
#define NO_MEMORY -65536
#define MAX_IN_PLACE 1024 // by a loop whose every round the verifier follows, when there is bpf_loop

struct loop {
	LLVMValueRef variable, index; // in bytes
	LLVMBasicBlockRef head, done;
	uint32_t size;
};

// for (index = 0; index < size; index += 8)
static struct loop loop_begin(struct gen *g, uint32_t size)
{
	struct loop loop = {
		.variable = gen_variable(g), .head = gen_block(g), .done = gen_block(g), .size = size
	};

	gen_store(g, gen_i64(g, 0), loop.variable);
	gen_goto(g, loop.head);
	gen_enter(g, loop.head);
	loop.index = gen_load(g, loop.variable);
	return loop;
}

// Goes on to the next word, at the end to `done`, which the caller enters.
static void loop_next(struct gen *g, const struct loop *loop)
{
	LLVMValueRef next = LLVMBuildAdd(g->b, loop->index, gen_i64(g, 8), "");

	gen_store(g, next, loop->variable);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntNE, next, gen_i64(g, loop->size), ""), loop->head,
		   loop->done);
}

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

void gen_words_zero(struct gen *g, LLVMValueRef ptr, uint32_t size)
{
	struct loop loop;

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
	loop = loop_begin(g, size);
	gen_store(g, gen_i64(g, 0), gen_at_index(g, ptr, loop.index));
	loop_next(g, &loop);
	gen_enter(g, loop.done);
}

void gen_words_copy(struct gen *g, LLVMValueRef dst, LLVMValueRef src, uint32_t size, bool whole)
{
	LLVMBasicBlockRef more;
	LLVMValueRef word;
	struct loop loop;

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
	loop = loop_begin(g, size);
	word = gen_load(g, gen_at_index(g, src, loop.index));
	gen_store(g, word, gen_at_index(g, dst, loop.index));
	if (!whole) {
		more = gen_block(g);
		gen_branch(g, gen_is_zero(g, gen_text_zeros(g, word)), more, loop.done);
		gen_enter(g, more);
	}
	loop_next(g, &loop);
	gen_enter(g, loop.done);
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

LLVMValueRef gen_words_swap(struct gen *g, LLVMValueRef word)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.bswap", strlen("llvm.bswap"));
	LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->mod, id, &g->i64, 1);

	return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->ctx, id, &g->i64, 1), fn, &word, 1, "");
}

void gen_words_difference(struct gen *g, struct gen_str a, struct gen_str b, LLVMValueRef words[2])
{
	uint32_t size = SP_MIN(a.cap, b.cap), mark = gen_mark(g);
	LLVMValueRef found[2];
	LLVMBasicBlockRef same;
	struct loop loop;

	if (is_long(g, size)) {
		found[0] = gen_temp(g, 16);
		found[1] = gen_at(g, found[0], 8);
		gen_store(g, gen_i64(g, 0), found[0]);
		gen_store(g, gen_i64(g, 0), found[1]);
		repeat_words(g, &(struct gen_repeat){ .live = { a.ptr, b.ptr, found[0] }, .n_live = 3, .body = compare_word },
			     "compare", size, true);
		for (int i = 0; i < 2; i++)
			words[i] = gen_words_swap(g, gen_load(g, found[i]));
		gen_release(g, mark);
		return;
	}
	for (int i = 0; i < 2; i++)
		found[i] = gen_variable(g);
	loop = loop_begin(g, size);
	same = gen_block(g);
	words[0] = gen_load(g, gen_at_index(g, a.ptr, loop.index));
	words[1] = gen_load(g, gen_at_index(g, b.ptr, loop.index));
	gen_store(g, words[0], found[0]);
	gen_store(g, words[1], found[1]);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, words[0], words[1], ""), same, loop.done);
	gen_enter(g, same);
	loop_next(g, &loop);
	gen_enter(g, loop.done);
	for (int i = 0; i < 2; i++)
		words[i] = gen_words_swap(g, gen_load(g, found[i]));
}

// The verifier follows each way out of the loop, so there is one a word; within it, the count comes without branches.
LLVMValueRef gen_words_length(struct gen *g, struct gen_str s)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef found, at, word;
	LLVMBasicBlockRef more;
	struct loop loop;

	if (is_long(g, s.cap)) {
		at = gen_temp(g, 16);
		found = gen_at(g, at, 8);
		gen_store(g, gen_i64(g, 0), at);
		gen_store(g, gen_i64(g, 0), found);
		repeat_words(g, &(struct gen_repeat){ .live = { s.ptr, at }, .n_live = 2, .body = find_end }, "length", s.cap,
			     true);
	} else {
		found = gen_variable(g);
		loop = loop_begin(g, s.cap);
		at = loop.variable;
		word = gen_load(g, gen_at_index(g, s.ptr, loop.index));
		gen_store(g, word, found);
		more = gen_block(g);
		gen_branch(g, gen_is_zero(g, gen_text_zeros(g, word)), more, loop.done);
		gen_enter(g, more);
		loop_next(g, &loop);
		gen_enter(g, loop.done);
	}
	gen_release(g, mark);
	// The verifier forgets the number, else it would follow each length from here on.
	return gen_launder(g, LLVMBuildAdd(g->b, gen_load(g, at), gen_text_count(g, gen_load(g, found)), ""));
}
