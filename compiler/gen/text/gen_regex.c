// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_regex.h"

#include "compiler/gen/core/gen_callback.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/plan/plan_regex.h"
#include "runtime/base/cleanup.h"

#define MAX_IN_PLACE 128 // bytes that are searched without a call for each

static uint32_t power_above(uint32_t n)
{
	uint32_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

static struct gen_str kept_text(struct gen *g)
{
	return (struct gen_str){ gen_at(g, g->fn->match, PLAN_MATCH_TEXT), g->plan->match_size - PLAN_MATCH_TEXT };
}

// `index` is below 256.
static LLVMValueRef reg_at(struct gen *g, LLVMValueRef index)
{
	return gen_at_index(g, gen_at(g, g->fn->match, PLAN_MATCH_REGS), LLVMBuildShl(g->b, index, gen_i64(g, 1), ""));
}

static LLVMValueRef reg_read(struct gen *g, LLVMValueRef index)
{
	return gen_load_sized(g, reg_at(g, index), PLAN_MATCH_REG, true);
}

static void reg_write(struct gen *g, LLVMValueRef index, LLVMValueRef value)
{
	gen_store_sized(g, value, reg_at(g, index), PLAN_MATCH_REG);
}

// ---- tables -----------------------------------------------------------------------------------------------------------

// Of as many bytes as a power of two, so that the verifier sees by a mask that each offset is within.
struct table {
	LLVMValueRef ptr;
	uint32_t size;
};

static LLVMValueRef table_at(struct gen *g, const struct table *t, LLVMValueRef index, uint32_t element_size)
{
	LLVMValueRef offset = LLVMBuildMul(g->b, index, gen_i64(g, element_size), "");

	return gen_at_index(g, t->ptr, LLVMBuildAnd(g->b, offset, gen_i64(g, t->size - element_size), ""));
}

static struct table table_of_steps(struct gen *g, const struct regex_dfa *dfa, bool lists)
{
	sp_cleanup_free uint16_t *numbers = sp_calloc(dfa->n_steps, sizeof(*numbers));
	uint32_t size = dfa->n_steps * (uint32_t)sizeof(*numbers);

	for (uint32_t i = 0; i < dfa->n_steps; i++)
		numbers[i] = lists ? dfa->steps[i].list : dfa->steps[i].next;
	return (struct table){ gen_constant(g, numbers, size), size };
}

static struct table table_of_lists(struct gen *g, const struct regex_dfa *dfa)
{
	uint32_t stride = power_above(dfa->list_len), n = power_above(dfa->n_lists);
	sp_cleanup_free struct regex_assign *lists = sp_calloc((size_t)n * stride, sizeof(*lists));
	uint32_t size = n * stride * (uint32_t)sizeof(*lists);

	for (uint32_t i = 0; i < dfa->n_lists; i++)
		memcpy(&lists[i * stride], &dfa->lists[i * dfa->list_len], dfa->list_len * sizeof(*lists));
	return (struct table){ gen_constant(g, lists, size), size };
}

// ---- loops ------------------------------------------------------------------------------------------------------------

// Where the kernel has bpf_loop, the body of a long loop is a function that the verifier looks at once. Elsewhere it follows
// every round, and remembers at most 8192 jumps of which it has not yet followed the other way; so there the loop has one
// jump, back to its head: what comes behind it is followed first, and is known then.
struct loop {
	LLVMBasicBlockRef head, done;
	LLVMValueRef variable, index;
	uint32_t rounds;
	bool is_called;
	struct gen_callback cb;
};

// Values that change from round to round are in memory.
static struct loop loop_begin(struct gen *g, uint32_t rounds, uint32_t place)
{
	struct loop loop = { .rounds = rounds };
	LLVMBasicBlockRef within;

	loop.is_called = rounds > MAX_IN_PLACE && g->engine->has(g, SP_FEATURE_BPF_LOOP);
	if (loop.is_called) {
		gen_callback_begin(g, &loop.cb, "search", 2, place);
		within = gen_block(g);
		loop.index = gen_keep(g, LLVMGetParam(loop.cb.fn, 0));
		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, loop.index, gen_i64(g, rounds), ""), within, loop.cb.stop);
		gen_enter(g, within);
		return loop;
	}
	loop.head = gen_block(g);
	loop.done = gen_block(g);
	loop.variable = gen_variable(g);
	gen_store(g, gen_i64(g, 0), loop.variable);
	gen_goto(g, loop.head);
	gen_enter(g, loop.head);
	loop.index = gen_load(g, loop.variable);
	return loop;
}

static void end_called(struct gen *g, struct loop *loop, LLVMValueRef value)
{
	LLVMBasicBlockRef more = gen_block(g);

	gen_branch(g, gen_is_zero(g, value), more, loop->cb.stop);
	gen_enter(g, more);
	gen_callback_end(g, &loop->cb);
	gen_callback_loop(g, &loop->cb, gen_i64(g, loop->rounds));
}

// Takes another round when `value` is 0, not 1, and `rounds` are not over. The verifier knows the index, so it sees the end:
// before 6.10, by sums and bounds alone, of which it knows more than of `or` and of equality.
static void loop_end(struct gen *g, struct loop *loop, LLVMValueRef value)
{
	LLVMValueRef next, over, twice;

	if (loop->is_called) {
		end_called(g, loop, value);
		return;
	}
	next = LLVMBuildAdd(g->b, loop->index, gen_i64(g, 1), "");
	gen_store(g, next, loop->variable);
	over = LLVMBuildAdd(g->b, next, gen_i64(g, (INT64_C(1) << 32) - loop->rounds), "");
	over = gen_keep(g, LLVMBuildLShr(g->b, over, gen_i64(g, 32), ""));
	twice = gen_keep(g, LLVMBuildShl(g->b, LLVMBuildAdd(g->b, over, value, ""), gen_i64(g, 1), ""));
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, twice, gen_i64(g, 2), ""), loop->head, loop->done);
	gen_enter(g, loop->done);
}

// ---- the search -------------------------------------------------------------------------------------------------------

// regs[dst] = regs[src] for each of the step's list.
static void assign_all(struct gen *g, const struct regex_dfa *dfa, LLVMValueRef list, LLVMValueRef pos)
{
	struct table lists = table_of_lists(g, dfa);
	LLVMValueRef op = table_at(g, &lists, list, power_above(dfa->list_len) * (uint32_t)sizeof(struct regex_assign));

	reg_write(g, gen_i64(g, dfa->pos), pos);
	for (unsigned k = 0; k < dfa->list_len; k++) {
		LLVMValueRef at = gen_at(g, op, k * sizeof(struct regex_assign));
		LLVMValueRef dst = gen_load_sized(g, at, 1, false), src = gen_load_sized(g, gen_at(g, at, 1), 1, false);

		reg_write(g, dst, reg_read(g, src));
	}
}

// Most steps have nothing to assign. While the verifier's memory for jumps lasts, that is tested.
static void assign(struct gen *g, const struct regex_dfa *dfa, LLVMValueRef list, LLVMValueRef pos, uint32_t rounds)
{
	LLVMBasicBlockRef some, done;

	if (g->fn->callbacks == g->fn->outlined && g->fn->n_jumps + rounds > g->engine->max_jumps) {
		assign_all(g, dfa, list, pos);
		return;
	}
	g->fn->n_jumps += rounds;
	some = gen_block(g);
	done = gen_block(g);
	gen_branch(g, gen_is_zero(g, list), done, some);
	gen_enter(g, some);
	assign_all(g, dfa, list, pos);
	gen_goto(g, done);
	gen_enter(g, done);
}

// Walks the automaton over the text up to its NUL. An i1: is there a match?
static LLVMValueRef walk(struct gen *g, uint32_t regex, struct gen_str text)
{
	const struct regex_dfa *dfa = &g->plan->regexes[regex].dfa;
	LLVMValueRef classes = gen_constant(g, dfa->classes, sizeof(dfa->classes)), state = gen_variable(g), byte, at, next;
	struct table steps = table_of_steps(g, dfa, false), lists;
	struct loop loop;

	if (dfa->n_captures) {
		lists = table_of_steps(g, dfa, true);
		reg_write(g, gen_i64(g, dfa->unset), gen_i64(g, -1));
	}
	gen_store(g, gen_i64(g, 0), state);
	loop = loop_begin(g, text.cap, g->unit->regexes.v[regex].place);
	byte = gen_load_sized(g, gen_at_index(g, text.ptr, loop.index), 1, false);
	at = LLVMBuildAdd(g->b, gen_load(g, state), gen_load_sized(g, gen_at_index(g, classes, byte), 1, false), "");
	next = gen_load_sized(g, table_at(g, &steps, at, 2), 2, false);
	gen_store(g, next, state);
	if (dfa->n_captures)
		assign(g, dfa, gen_load_sized(g, table_at(g, &lists, at, 2), 2, false), loop.index, text.cap);
	// Not 0 from REGEX_FAIL on.
	loop_end(g, &loop, LLVMBuildLShr(g->b, LLVMBuildAdd(g->b, next, gen_i64(g, 65536 - REGEX_FAIL), ""), gen_i64(g, 16), ""));
	return LLVMBuildICmp(g->b, LLVMIntEQ, gen_load(g, state), gen_i64(g, REGEX_MATCH), "");
}

LLVMValueRef gen_regex_match(struct gen *g, const struct ir_expr *e)
{
	const struct plan_regex *regex = &g->plan->regexes[e->regex];
	struct gen_str text = gen_str_address(g, e->a);
	LLVMBasicBlockRef found, done;
	LLVMValueRef matches;

	if (!regex->dfa.n_captures)
		return gen_bool(g, walk(g, e->regex, text));
	gen_store(g, gen_i64(g, 0), g->fn->match);
	matches = walk(g, e->regex, text);
	found = gen_block(g);
	done = gen_block(g);
	gen_branch(g, matches, found, done);
	gen_enter(g, found);
	gen_store(g, gen_i64(g, regex->n_groups), g->fn->match);
	gen_str_copy(g, kept_text(g), text, false);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_bool(g, matches);
}

// ---- what was found ---------------------------------------------------------------------------------------------------

LLVMValueRef gen_regex_groups(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef groups = gen_load(g, g->fn->match);

	gen_fail_if(g, gen_is_zero(g, groups), SP_RT_NO_MATCH, e->place, NULL);
	return groups;
}

// dst = src from `start` up to `end`; dst is zeroed, and src->cap a power of two.
static void copy_part(struct gen *g, struct gen_str dst, struct gen_str src, LLVMValueRef start, LLVMValueRef end,
		      uint32_t place)
{
	LLVMBasicBlockRef some = gen_block(g), done = gen_block(g);
	LLVMValueRef len = LLVMBuildSub(g->b, end, start, ""), at, left;
	struct loop loop;

	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntSGT, len, gen_i64(g, 0), ""), some, done);
	gen_enter(g, some);
	loop = loop_begin(g, dst.cap - 1, place);
	at = LLVMBuildAnd(g->b, LLVMBuildAdd(g->b, start, loop.index, ""), gen_i64(g, src.cap - 1), "");
	gen_store_sized(g, gen_load_sized(g, gen_at_index(g, src.ptr, at), 1, false),
			gen_at_index(g, dst.ptr, loop.index), 1);
	left = LLVMBuildSub(g->b, loop.index, LLVMBuildSub(g->b, len, gen_i64(g, 1), ""), "");
	// The sign: 1 while bytes are left.
	left = LLVMBuildLShr(g->b, left, gen_i64(g, 63), "");
	loop_end(g, &loop, LLVMBuildXor(g->b, left, gen_i64(g, 1), ""));
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_regex_part(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	LLVMValueRef group = gen_long(g, e->args[0]), groups, reg, start, end;

	groups = gen_regex_groups(g, e);
	gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntUGE, group, groups, ""), SP_RT_NO_GROUP, e->place, group);
	reg = gen_keep(g, LLVMBuildShl(g->b, group, gen_i64(g, 1), ""));
	reg = LLVMBuildAnd(g->b, reg, gen_i64(g, 2 * REGEX_MAX_CAPTURES - 1), "");
	gen_words_zero(g, dst.ptr, dst.cap);
	start = reg_read(g, reg);
	end = reg_read(g, LLVMBuildOr(g->b, reg, gen_i64(g, 1), ""));
	copy_part(g, dst, kept_text(g), start, end, e->place);
}
