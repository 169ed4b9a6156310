// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_symbols.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_symbols.h"
#include "compiler/gen/text/gen_text.h"
#include "compiler/gen/text/gen_tracer.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/gen/value/gen_expr.h"
#include "runtime/abi/event.h"

#include <stdio.h>

#define NAME_SIZE 32
#define ADDRESS_TEXT 24 // "0xffffffffffffffff " and a NUL, rounded up

// "name [module]" becomes "name". Without branches, as the verifier would follow each way out.
static void cut_at_space(struct gen *g, struct gen_str s)
{
	LLVMValueRef keep = gen_i64(g, -1);

	for (uint32_t i = 0; i < s.cap; i += 8) {
		LLVMValueRef at = gen_at(g, s.ptr, i), word = gen_load(g, at), spaces, lowest, below;

		spaces = gen_text_zeros(g, LLVMBuildXor(g->b, word, gen_i64(g, 0x2020202020202020), ""));
		lowest = LLVMBuildAnd(g->b, spaces, LLVMBuildNeg(g->b, spaces, ""), "");
		below = LLVMBuildSub(g->b, LLVMBuildLShr(g->b, lowest, gen_i64(g, 7), ""), gen_i64(g, 1), "");
		gen_store(g, LLVMBuildAnd(g->b, word, LLVMBuildAnd(g->b, below, keep, ""), ""), at);
		keep = LLVMBuildSelect(g->b, gen_is_zero(g, spaces), keep, gen_i64(g, 0), "");
	}
}

static LLVMValueRef print(struct gen *g, LLVMValueRef dst, uint32_t cap, const char *format, LLVMValueRef value)
{
	return gen_call(g, GEN_SNPRINTF, 5, dst, gen_i64(g, cap), gen_constant(g, format, (uint32_t)strlen(format) + 1),
			value, gen_i64(g, 8));
}

static void kernel_name(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef value = gen_temp(g, 8);

	gen_store(g, gen_long(g, e->a), value);
	gen_words_zero(g, dst.ptr, dst.cap);
	print(g, dst.ptr, dst.cap, "%ps", value);
	cut_at_space(g, dst);
	gen_release(g, mark);
}

// How many hexadecimal digits the number needs, less one.
static LLVMValueRef digits_behind_first(struct gen *g, LLVMValueRef number)
{
	LLVMValueRef ones = gen_i64(g, 0x1111111111111110);

	for (unsigned shift = 4; shift < 64; shift *= 2)
		number = LLVMBuildOr(g->b, number, LLVMBuildLShr(g->b, number, gen_i64(g, shift), ""), "");
	for (unsigned shift = 2; shift; shift--)
		number = LLVMBuildOr(g->b, number, LLVMBuildLShr(g->b, number, gen_i64(g, shift), ""), "");
	number = LLVMBuildMul(g->b, LLVMBuildAnd(g->b, number, ones, ""), gen_i64(g, 0x1111111111111111), "");
	return LLVMBuildLShr(g->b, number, gen_i64(g, 60), "");
}

static void put_address(struct gen *g, struct gen_text *t, LLVMValueRef address)
{
	LLVMValueRef behind = digits_behind_first(g, address), low, n;

	address = LLVMBuildShl(g->b, address, LLVMBuildSub(g->b, gen_i64(g, 60), LLVMBuildShl(g->b, behind, gen_i64(g, 2), ""), ""), "");
	low = LLVMBuildSub(g->b, behind, gen_i64(g, 7), "");
	low = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSGT, low, gen_i64(g, 0), ""), low, gen_i64(g, 0), "");
	n = LLVMBuildSub(g->b, LLVMBuildAdd(g->b, behind, gen_i64(g, 1), ""), low, "");
	gen_text_literal(g, t, "0x", 2);
	gen_text_put(g, t, gen_text_hex(g, LLVMBuildLShr(g->b, address, gen_i64(g, 32), "")), n);
	gen_text_put(g, t, gen_text_hex(g, LLVMBuildAnd(g->b, address, gen_i64(g, UINT32_MAX), "")), low);
	gen_text_literal(g, t, " ", 1);
}

// A 0 ends the stack, but at the front. CELL_B: was it cut?
// live: the text's memory; its work area, with the addresses behind; their bytes; how many of them are passed over
static LLVMValueRef next_address(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const uint32_t *cap = arg;
	struct gen_text t = { .dst = { live[0], *cap }, .work = live[1] };
	LLVMBasicBlockRef look = gen_block(g), have = gen_block(g), put = gen_block(g), cut = gen_block(g), done = gen_block(g);
	LLVMValueRef go = gen_variable(g), offset, inside, address, fits;

	gen_store(g, gen_i64(g, 0), go);
	offset = gen_keep(g, LLVMBuildShl(g->b, LLVMBuildAdd(g->b, index, live[3], ""), gen_i64(g, 3), ""));
	inside = LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, (SP_SYMBOLS_PLACES - 1) * 8), "");
	inside = LLVMBuildAnd(g->b, inside, LLVMBuildICmp(g->b, LLVMIntSGT, live[2], offset, ""), "");
	gen_branch(g, inside, look, done);
	gen_enter(g, look);
	address = gen_load(g, gen_at_index(g, gen_at(g, t.work, GEN_CELL_COUNT * 8), offset));
	gen_store(g, gen_bool(g, gen_is_zero(g, offset)), go);
	gen_branch(g, gen_is_zero(g, address), done, have);
	gen_enter(g, have);
	gen_store(g, gen_i64(g, 0), go);
	fits = LLVMBuildICmp(g->b, LLVMIntULE, gen_cell(g, t.work, GEN_CELL_END), gen_i64(g, *cap - ADDRESS_TEXT), "");
	gen_branch(g, fits, put, cut);
	gen_enter(g, cut);
	gen_cell_set(g, t.work, GEN_CELL_B, gen_i64(g, 1));
	gen_goto(g, done);
	gen_enter(g, put);
	gen_store(g, gen_i64(g, 1), go);
	put_address(g, &t, address);
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildICmp(g->b, LLVMIntNE, gen_load(g, go), gen_i64(g, 0), "");
}

// Zeros for a text of so many bytes of addresses.
static struct gen_text begin(struct gen *g, struct gen_str dst, LLVMValueRef work, LLVMValueRef size, uint32_t zeros)
{
	LLVMBasicBlockRef longer, done;

	if (zeros == dst.cap)
		return gen_text_begin(g, dst, work);
	longer = gen_block(g);
	done = gen_block(g);
	gen_text_begin(g, (struct gen_str){ dst.ptr, zeros }, work);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntSGT, size, gen_i64(g, zeros / ADDRESS_TEXT * 8), ""), longer, done);
	gen_enter(g, longer);
	gen_words_zero(g, gen_at(g, dst.ptr, zeros), dst.cap - zeros);
	gen_goto(g, done);
	gen_enter(g, done);
	return (struct gen_text){ .dst = dst, .work = work };
}

// "0xADDRESS " for each that there is room for.
static void stack_digits(struct gen *g, const struct ir_expr *e, struct gen_str dst, uint32_t zeros)
{
	struct gen_text t = { .dst = dst, .work = gen_slot(g, gen_plan(g, e)->work) };
	LLVMValueRef size, skip = gen_i64(g, 0), cut;
	struct gen_repeat r = { .trips = SP_SYMBOLS_PLACES, .n_live = 4, .arg = &dst.cap, .body = next_address };
	char name[NAME_SIZE];

	if (e->tracer)
		skip = gen_tracer_frames(g, e->tracer, t.work, SP_SYMBOLS_MAX, &size);
	else
		size = gen_symbols_stack(g, e, gen_at(g, t.work, GEN_CELL_COUNT * 8));
	size = gen_keep(g, size);
	t = begin(g, dst, t.work, size, zeros);
	r.live[0] = dst.ptr;
	r.live[1] = t.work;
	r.live[2] = size;
	r.live[3] = skip;
	if (dst.cap >= ADDRESS_TEXT) {
		snprintf(name, sizeof(name), "stack_digits_%u", dst.cap);
		r.name = name;
		gen_cell_set(g, t.work, GEN_CELL_B, gen_i64(g, 0));
		gen_repeat(g, &r);
		cut = LLVMBuildICmp(g->b, LLVMIntNE, gen_cell(g, t.work, GEN_CELL_B), gen_i64(g, 0), "");
		gen_fail_count_if(g, cut, SP_LOSS_CUT);
	}
	gen_text_end(g, &t);
}

void gen_kernel_symbols(struct gen *g, const struct ir_expr *e, struct gen_str dst, uint32_t zeros)
{
	if (e->a)
		kernel_name(g, e, dst);
	else
		stack_digits(g, e, dst, zeros);
}
