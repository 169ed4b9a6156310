// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_tracer.h"

#include "compiler/gen/core/gen_context.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_text.h"
#include "runtime/abi/event.h"

#define NAME_SIZE 24 // of a name in memory, which is cut there

static LLVMValueRef begins_with(struct gen *g, LLVMValueRef word, const char *eight_bytes)
{
	int64_t wanted;

	memcpy(&wanted, eight_bytes, sizeof(wanted));
	return LLVMBuildICmp(g->b, LLVMIntEQ, word, gen_i64(g, wanted), "");
}

static LLVMValueRef name_of(struct gen *g, LLVMValueRef address, LLVMValueRef name)
{
	gen_call(g, GEN_SNPRINTF, 5, name, gen_i64(g, NAME_SIZE), gen_constant(g, "%ps", sizeof("%ps")), address, gen_i64(g, 8));
	return gen_load_volatile(g, name);
}

// Is it what calls handlers? bpf_trampoline_N may have no name, and is then a number.
static LLVMValueRef begins(struct gen *g, LLVMValueRef word, uint8_t tracer)
{
	if (tracer == SP_TRACER_TRAMPOLINE)
		return LLVMBuildOr(g->b, begins_with(g, word, "bpf_tram"), begins_with(g, word, "0xffffff"), "");
	return LLVMBuildOr(g->b, LLVMBuildOr(g->b, begins_with(g, word, "bpf_trac"), begins_with(g, word, "bpf_iter"), ""),
			   begins_with(g, word, "nf_hook_"), "");
}

// The first frame is the handler or a function of it, and is not looked at. Behind it: what calls that, up to bpf_trace_runN(),
// bpf_iter_run_prog(), nf_hook_run_bpf() or the trampoline; then what has called that: __bpf_trace_EVENT() and, when the tracepoint has
// several handlers, __traceiter_EVENT(). CELL_A: how many of them there are, CELL_B: has the first of these been seen?
// live: the cells, the addresses, their bytes, memory for a name
static LLVMValueRef next_frame(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	LLVMBasicBlockRef look = gen_block(g), count = gen_block(g), done = gen_block(g);
	LLVMValueRef go = gen_variable(g), offset, inside, word, begun, hit;
	const uint8_t *tracer = arg;

	gen_store(g, gen_i64(g, 0), go);
	offset = gen_keep(g, LLVMBuildShl(g->b, index, gen_i64(g, 3), ""));
	inside = LLVMBuildICmp(g->b, LLVMIntULE, offset, gen_i64(g, (SP_TRACER_MAX - 1) * 8), "");
	inside = LLVMBuildAnd(g->b, inside, LLVMBuildICmp(g->b, LLVMIntSGT, live[2], offset, ""), "");
	gen_branch(g, inside, look, done);
	gen_enter(g, look);
	word = name_of(g, gen_at_index(g, live[1], offset), live[3]);
	begun = LLVMBuildICmp(g->b, LLVMIntNE, gen_cell(g, live[0], GEN_CELL_B), gen_i64(g, 0), "");
	hit = LLVMBuildOr(g->b, begins_with(g, word, "__bpf_tr"), begins_with(g, word, "__tracei"), "");
	hit = LLVMBuildSelect(g->b, begun, hit, begins(g, word, *tracer), "");
	gen_store(g, gen_bool(g, LLVMBuildOr(g->b, hit, LLVMBuildNot(g->b, begun, ""), "")), go);
	gen_branch(g, hit, count, done);
	gen_enter(g, count);
	gen_cell_set(g, live[0], GEN_CELL_B, gen_i64(g, 1));
	gen_cell_set(g, live[0], GEN_CELL_A, LLVMBuildAdd(g->b, index, gen_i64(g, 1), ""));
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildICmp(g->b, LLVMIntNE, gen_load(g, go), gen_i64(g, 0), "");
}

// The size of the stack, signed, in bytes. It is read anew for each condition, as the verifier follows what a condition tells it of a
// number.
static LLVMValueRef stack_size(struct gen *g, LLVMValueRef work)
{
	return gen_cell(g, work, GEN_CELL_C);
}

// A number that is 0 when there is an n-th address.
static LLVMValueRef is_missing(struct gen *g, LLVMValueRef work, unsigned n)
{
	LLVMValueRef more = LLVMBuildSub(g->b, stack_size(g, work), gen_i64(g, (int64_t)n * 8 + 1), "");

	return LLVMBuildAnd(g->b, more, gen_i64(g, INT64_MIN), "");
}

// One that is 0 when the n-th address is this one.
static LLVMValueRef differs(struct gen *g, LLVMValueRef frames, unsigned n, LLVMValueRef address)
{
	return LLVMBuildXor(g->b, gen_load(g, gen_at(g, frames, (uint64_t)n * 8)), address, "");
}

// Names take long to find. Where the last address of tracing and the one behind it were found before, next to each other, they part
// the stack again; so it does no harm when another processor has written one of the two. There is one condition for each place, as the
// verifier follows both ways of all.
static LLVMValueRef find_known(struct gen *g, LLVMValueRef work, LLVMValueRef frames, LLVMValueRef known)
{
	LLVMValueRef last = gen_load_volatile(g, known), next = gen_load_volatile(g, gen_at(g, known, 8)), found = gen_i64(g, 0);

	for (unsigned n = SP_TRACER_MAX - 1; n-- > 0;) {
		LLVMValueRef other = LLVMBuildOr(g->b, differs(g, frames, n, last), differs(g, frames, n + 1, next), "");

		other = LLVMBuildOr(g->b, other, is_missing(g, work, n + 1), "");
		found = LLVMBuildSelect(g->b, gen_is_zero(g, other), gen_i64(g, n + 1), found, "");
	}
	return LLVMBuildSelect(g->b, gen_is_zero(g, last), gen_i64(g, 0), found, "");
}

static void remember(struct gen *g, LLVMValueRef work, LLVMValueRef frames, LLVMValueRef known)
{
	LLVMBasicBlockRef keep = gen_block(g), done = gen_block(g);
	LLVMValueRef next = gen_keep(g, LLVMBuildShl(g->b, gen_cell(g, work, GEN_CELL_A), gen_i64(g, 3), "")), last, is;

	last = gen_keep(g, LLVMBuildSub(g->b, next, gen_i64(g, 8), ""));
	is = LLVMBuildICmp(g->b, LLVMIntULE, last, gen_i64(g, (SP_TRACER_MAX - 2) * 8), "");
	is = LLVMBuildAnd(g->b, is, LLVMBuildICmp(g->b, LLVMIntSGT, stack_size(g, work), next, ""), "");
	gen_branch(g, is, keep, done);
	gen_enter(g, keep);
	gen_store(g, gen_load(g, gen_at_index(g, frames, last)), known);
	gen_store(g, gen_load(g, gen_at_index(g, gen_at(g, frames, 8), last)), gen_at(g, known, 8));
	gen_goto(g, done);
	gen_enter(g, done);
}

LLVMValueRef gen_tracer_frames(struct gen *g, uint8_t tracer, LLVMValueRef work, unsigned n, LLVMValueRef *size_ret)
{
	LLVMValueRef frames = gen_at(g, work, GEN_CELL_COUNT * 8), name = gen_at(g, frames, (uint64_t)n * 8), size, found, known;
	struct gen_repeat r = { .name = tracer == SP_TRACER_TRAMPOLINE ? "trampoline_frames" : "tracer_frames", .trips = SP_TRACER_MAX,
				.arg = &tracer, .n_live = 4, .body = next_frame };
	LLVMBasicBlockRef look, done;

	size = gen_context_stack(g, frames, n * 8, gen_i64(g, 1), false);
	*size_ret = size;
	if (!g->engine->has(g, SP_FEATURE_SNPRINTF))
		return gen_i64(g, 0);
	look = gen_block(g);
	done = gen_block(g);
	known = gen_data(g, g->plan->tracer_offset);
	gen_cell_set(g, work, GEN_CELL_C, size);
	found = find_known(g, work, frames, known);
	gen_cell_set(g, work, GEN_CELL_A, found);
	gen_branch(g, gen_is_zero(g, found), look, done);
	gen_enter(g, look);
	gen_cell_set(g, work, GEN_CELL_B, gen_i64(g, 0));
	r.live[0] = work;
	r.live[1] = frames;
	r.live[2] = size;
	r.live[3] = name;
	gen_repeat(g, &r);
	remember(g, work, frames, known);
	gen_goto(g, done);
	gen_enter(g, done);
	*size_ret = stack_size(g, work);
	return gen_cell(g, work, GEN_CELL_A);
}
