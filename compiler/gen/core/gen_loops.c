// SPDX-License-Identifier: GPL-2.0-or-later
// The verifier follows each round of a loop: it has to see that a number which grows by constants comes to one.
#include "compiler/gen/core/gen_loops.h"

#include "compiler/gen/core/gen_rounds.h"
#include "compiler/gen/core/gen_sums.h"
#include "compiler/gen/core/gen_uses.h"
#include "runtime/base/util.h"
#include "runtime/base/vec.h"

#include <linux/bpf.h>
#include <stdlib.h>

struct block {
	LLVMBasicBlockRef block;
	size_t *next;
	unsigned n_next;
	enum { NEW, ON_PATH, DONE } state;
	bool in_loop; // the one that is looked at
	bool is_reached;
};

#define MOST_BLOCKS 2000 // of a handler: what is found takes their square
#define MOST_CLEARED 512 // bytes: what the stack has

// A variable of a loop's head that is forgotten at the end of each round, but for its range.
struct index {
	LLVMValueRef variable;
	LLVMBasicBlockRef last;
	bool is_checked; // where it is an index: of the range nothing is told
	struct gen_range range;
};

// A function's.
struct graph {
	SP_VEC(struct block) blocks;
	LLVMBuilderRef b;
	struct gen *g; // of a handler; NULL: of embedded C
	size_t head; // of that loop
	SP_VEC(struct gen_loop) loops;
	SP_VEC(LLVMValueRef) compared; // variables of heads that are forgotten as a whole
	SP_VEC(struct index) indexes;
	bool is_unbounded;
	LLVMValueRef any; // a number that the verifier does not know; NULL: none so far
};

static size_t number_of(const struct graph *graph, LLVMBasicBlockRef block)
{
	size_t i = 0;

	while (graph->blocks.v[i].block != block)
		i++;
	return i;
}

// The same number, of which LLVM or the verifier knows no more: gen_keep() and gen_launder() alone take one number.
static bool is_kept(LLVMValueRef number)
{
	LLVMValueRef code = LLVMIsACallInst(number) ? LLVMGetCalledValue(number) : NULL;

	return code && LLVMIsAInlineAsm(code) && LLVMGetNumArgOperands(number) == 1 &&
	       LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(number, 0))) == LLVMIntegerTypeKind;
}

// The head's variable that the number is computed from by constants alone; NULL: there is none.
static LLVMValueRef counter_of(const struct graph *graph, LLVMValueRef number)
{
	while (LLVMIsAInstruction(number)) {
		LLVMOpcode op = LLVMGetInstructionOpcode(number);

		if (is_kept(number)) {
			number = LLVMGetOperand(number, 0);
			continue;
		}
		if (op == LLVMPHI)
			return LLVMGetInstructionParent(number) == graph->blocks.v[graph->head].block ? number : NULL;
		if (op != LLVMTrunc && op != LLVMZExt && op != LLVMSExt &&
		    ((op != LLVMAdd && op != LLVMSub && op != LLVMOr) || !LLVMIsAConstantInt(LLVMGetOperand(number, 1))))
			return NULL;
		number = LLVMGetOperand(number, 0);
	}
	return NULL;
}

// Does it begin with a constant, and is it the same one round later, but for constants?
static bool counts(const struct graph *graph, LLVMValueRef number)
{
	LLVMValueRef counter = counter_of(graph, number);
	unsigned n = counter ? LLVMCountIncoming(counter) : 0;

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef value = LLVMGetIncomingValue(counter, i);
		bool is_of_loop = graph->blocks.v[number_of(graph, LLVMGetIncomingBlock(counter, i))].in_loop;

		if (is_of_loop ? value == counter || counter_of(graph, value) != counter : !LLVMIsAConstantInt(value))
			return false;
	}
	return n;
}

// What LLVM makes of a counter of two rounds: a truth that is `value` in each round but the first.
static bool is_in_second(const struct graph *graph, LLVMValueRef truth, bool value)
{
	unsigned n = counter_of(graph, truth) == truth ? LLVMCountIncoming(truth) : 0;

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef from = LLVMGetIncomingValue(truth, i);

		if (graph->blocks.v[number_of(graph, LLVMGetIncomingBlock(truth, i))].in_loop &&
		    (!LLVMIsAConstantInt(from) || LLVMConstIntGetZExtValue(from) != value))
			return false;
	}
	return n;
}

static bool is_truth(LLVMValueRef value, bool truth)
{
	return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == truth;
}

// The round in which a comparison of a counter, which has one, is `value`, the first one being 1.
static unsigned round_of(const struct graph *graph, LLVMValueRef comparison, bool value)
{
	LLVMValueRef number = LLVMGetOperand(comparison, 0), counter = counter_of(graph, number), first, next;
	bool first_is_of_loop = graph->blocks.v[number_of(graph, LLVMGetIncomingBlock(counter, 0))].in_loop;

	if (LLVMCountIncoming(counter) != 2 || LLVMGetIntTypeWidth(LLVMTypeOf(counter)) > 64 || LLVMGetIntTypeWidth(LLVMTypeOf(number)) > 64)
		return GEN_SOME_DAY;
	first = LLVMGetIncomingValue(counter, first_is_of_loop);
	next = LLVMGetIncomingValue(counter, !first_is_of_loop);
	if (!LLVMIsAConstantInt(first))
		return GEN_SOME_DAY;
	return gen_rounds_until(comparison, value, &(struct gen_counter){ counter, first, next });
}

// In which round is this condition `value` at the latest, since a counter has come to a constant? 0: it need not be. Where a round may go on
// whatever the counter says, as in `if (x) continue; if (i > 10) break;`, of which LLVM makes `x || i <= 10`, it need not.
static unsigned comes_to(const struct graph *graph, LLVMValueRef condition, bool value)
{
	LLVMOpcode op = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : LLVMRet;
	bool is_and = op == LLVMAnd || (op == LLVMSelect && is_truth(LLVMGetOperand(condition, 2), false)); // a lazy `and`
	bool is_or = op == LLVMOr || (op == LLVMSelect && is_truth(LLVMGetOperand(condition, 1), true));
	unsigned other = op == LLVMSelect && is_or ? 2 : 1;

	if (is_and || is_or) {
		unsigned first = comes_to(graph, LLVMGetOperand(condition, 0), value);
		unsigned second = comes_to(graph, LLVMGetOperand(condition, other), value);

		if (is_or != value) // both have to be
			return first && second ? GEN_SOME_DAY : 0;
		return !first || !second ? first + second : first < second ? first : second;
	}
	if (op == LLVMXor && is_truth(LLVMGetOperand(condition, 1), true))
		return comes_to(graph, LLVMGetOperand(condition, 0), !value);
	if (op == LLVMPHI)
		return is_in_second(graph, condition, value) ? 2 : 0;
	if (op != LLVMICmp || !LLVMIsAConstantInt(LLVMGetOperand(condition, 1)) || !counts(graph, LLVMGetOperand(condition, 0)))
		return 0;
	return round_of(graph, condition, value);
}

// Does a round get from one block of the loop to its last one without coming to another one?
static bool passes_by(struct graph *graph, size_t at, size_t last, size_t other)
{
	struct block *b = &graph->blocks.v[at];

	if (at == other || !b->in_loop || b->is_reached)
		return false;
	if (at == last)
		return true;
	b->is_reached = true;
	for (unsigned i = 0; i < b->n_next; i++)
		if (b->next[i] != graph->head && passes_by(graph, b->next[i], last, other))
			return true;
	return false;
}

static bool is_in_each_round(struct graph *graph, size_t block, size_t last)
{
	sp_vec_each(b, &graph->blocks)
		b->is_reached = false;
	return !passes_by(graph, graph->head, last, block);
}

static bool leaves(const struct graph *graph, const struct block *b)
{
	for (unsigned i = 0; b->in_loop && i < b->n_next; i++)
		if (!graph->blocks.v[b->next[i]].in_loop)
			return true;
	return false;
}

// Is there one way out, which a counter alone decides?
static bool is_counted(const struct graph *graph)
{
	const struct block *way_out = NULL;
	LLVMValueRef end;

	sp_vec_each(b, &graph->blocks) {
		if (leaves(graph, b) && way_out)
			return false;
		way_out = leaves(graph, b) ? b : way_out;
	}
	end = way_out ? LLVMGetBasicBlockTerminator(way_out->block) : NULL;
	return end && gen_known_is_conditional(end) && LLVMIsAICmpInst(LLVMGetCondition(end));
}

// The round in which the loop ends at the latest; 0: the verifier does not see that.
static unsigned last_round(struct graph *graph, size_t last)
{
	unsigned least = 0;

	for (size_t i = 0; i < graph->blocks.n; i++) {
		const struct block *b = &graph->blocks.v[i];
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b->block);
		unsigned round;

		if (!b->in_loop || !gen_known_is_conditional(end) || (graph->blocks.v[b->next[0]].in_loop && graph->blocks.v[b->next[1]].in_loop))
			continue;
		round = comes_to(graph, LLVMGetCondition(end), !graph->blocks.v[b->next[0]].in_loop);
		if (round && !is_in_each_round(graph, i, last))
			round = GEN_SOME_DAY;
		if (round && (!least || round < least))
			least = round;
	}
	return least;
}

// ---- sums -------------------------------------------------------------------------------------------------------------------------------

// LLVM's own, such as llvm.smax.
static bool is_harmless_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee);
}

// Whatever number it is, nothing but ways out and other numbers depend on it: no address, and no argument of a helper.
static enum gen_use only_ends(const void *ctx, LLVMValueRef user, LLVMValueRef value)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(user);
	bool is_end = op == LLVMICmp || op == LLVMSwitch || op == LLVMRet || (op == LLVMStore && LLVMGetOperand(user, 1) != value) ||
		      (op == LLVMAnd && LLVMIsAConstantInt(LLVMGetOperand(user, 1))); // an index then, whatever comes
	bool is_number = LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind && op != LLVMLoad &&
			 (op != LLVMCall || is_harmless_call(user));

	(void)ctx;
	return is_end ? USE_ENDS : is_number ? USE_GIVES : USE_HARMS;
}

// The distance between a number and another one that the verifier knows is more than the ranges of the two tell: i - n is none below 0 where n
// has grown no faster than i.
static enum gen_use no_distance(const void *ctx, LLVMValueRef user, LLVMValueRef value)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(user);

	if (op == LLVMSub && !LLVMIsAConstantInt(LLVMGetOperand(user, 0)) && !LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
		return gen_uses_are_harmless(user, only_ends, NULL) ? USE_ENDS : USE_HARMS;
	return op == LLVMGetElementPtr || only_ends(ctx, user, value) != USE_GIVES ? USE_ENDS : USE_GIVES;
}

// Or an address, where conditions keep the number in a range.
static enum gen_use only_checked(const void *ctx, LLVMValueRef user, LLVMValueRef value)
{
	if (!LLVMIsAGetElementPtrInst(user) || LLVMGetOperand(user, 0) == value)
		return is_kept(user) ? USE_GIVES : only_ends(ctx, user, value);
	return gen_sums_is_checked(LLVMGetInstructionParent(user), value) ? USE_ENDS : USE_HARMS;
}

static void any_number(struct graph *graph)
{
	LLVMBuilderRef b = graph->b;
	LLVMValueRef first = LLVMGetFirstInstruction(graph->blocks.v[0].block), fn;
	LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(first));
	LLVMTypeRef type = LLVMFunctionType(LLVMInt64TypeInContext(ctx), NULL, 0, false);

	if (!graph->any) {
		fn = LLVMConstInt(LLVMInt64TypeInContext(ctx), BPF_FUNC_get_prandom_u32, false);
		LLVMPositionBuilderBefore(b, first);
		graph->any = LLVMBuildCall2(b, type, LLVMConstIntToPtr(fn, LLVMPointerTypeInContext(ctx, 0)), NULL, 0, "");
	}
}

// As gen_forget does it, which embedded C has nothing for.
static LLVMValueRef forget_of_c(struct graph *graph, LLVMValueRef number)
{
	static const char twice[] = "$0 ^= $2\n\t$0 ^= $2", constraints[] = "=&r,0,r";
	LLVMValueRef args[2] = { number, graph->any }, code;
	LLVMTypeRef i64 = LLVMTypeOf(number), type = LLVMFunctionType(i64, (LLVMTypeRef[]){ i64, i64 }, 2, false);

	code = LLVMGetInlineAsm(type, (char *)twice, strlen(twice), (char *)constraints, strlen(constraints), false, false,
				LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(graph->b, type, code, args, 2, "");
}

static LLVMValueRef forget(struct graph *graph, LLVMValueRef number, LLVMValueRef at)
{
	LLVMTypeRef own = LLVMTypeOf(number);

	if (!graph->g)
		any_number(graph);
	LLVMPositionBuilderBefore(graph->b, at);
	number = LLVMBuildZExtOrBitCast(graph->b, number, LLVMInt64TypeInContext(LLVMGetTypeContext(own)), "");
	number = graph->g ? gen_forget(graph->g, number) : forget_of_c(graph, number);
	return LLVMBuildTruncOrBitCast(graph->b, number, own, "");
}

// Of what it is, the range stays known: below it and above it there is nothing.
static LLVMValueRef within(struct graph *graph, LLVMValueRef number, const struct gen_range *range)
{
	LLVMTypeRef i64 = LLVMTypeOf(number);
	LLVMValueRef low = LLVMConstInt(i64, (uint64_t)range->low, true);
	LLVMValueRef most = LLVMConstInt(i64, (uint64_t)(range->high - range->low), false), is_above;

	number = forget_of_c(graph, LLVMBuildSub(graph->b, number, low, ""));
	is_above = LLVMBuildICmp(graph->b, LLVMIntUGT, number, most, "");
	return LLVMBuildAdd(graph->b, LLVMBuildSelect(graph->b, is_above, most, number, ""), low, "");
}

static LLVMValueRef forget_but_range(struct graph *graph, LLVMValueRef value, const struct gen_range *range, LLVMValueRef at)
{
	LLVMTypeRef own = LLVMTypeOf(value), i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(own)), i8 = LLVMInt8TypeInContext(LLVMGetTypeContext(own));
	LLVMValueRef base = range->base, number;

	any_number(graph);
	LLVMPositionBuilderBefore(graph->b, at);
	if (!base) {
		number = LLVMGetIntTypeWidth(own) == 64 ? value
			 : range->low < 0		? LLVMBuildSExt(graph->b, value, i64, "")
							: LLVMBuildZExt(graph->b, value, i64, "");
		return LLVMBuildTruncOrBitCast(graph->b, within(graph, number, range), own, "");
	}
	number = LLVMBuildSub(graph->b, LLVMBuildPtrToInt(graph->b, value, i64, ""), LLVMBuildPtrToInt(graph->b, base, i64, ""), "");
	number = within(graph, number, range);
	return LLVMBuildGEP2(graph->b, i8, base, &number, 1, "");
}

// A sum that grows in some rounds alone has another value on each path through the rounds, and where it is compared the verifier would follow
// them all. It is forgotten at the end of each round: that the loop ends is known by its counter. Where it is an index, its range is kept.
static void forget_sum(struct graph *graph, LLVMValueRef variable, LLVMBasicBlockRef last, const struct gen_range *range)
{
	LLVMValueRef forgotten = NULL, at = LLVMGetBasicBlockTerminator(last);

	for (unsigned i = 0; i < LLVMCountIncoming(variable); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(variable, i);

		if (LLVMGetIncomingBlock(variable, i) != last)
			continue;
		if (!forgotten)
			forgotten = range ? forget_but_range(graph, value, range, at) : forget(graph, value, at);
		LLVMSetOperand(variable, i, forgotten);
	}
}

// Linux 6.1 keeps a number that is stored at the first of 8 bytes of the stack; a store somewhere behind that byte leaves one that it does not
// let be read. So it knows none that goes into an array.
static void forget_stored(struct graph *graph, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);
	LLVMTypeRef type = LLVMTypeOf(value), i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(type));

	if (!LLVMIsAGetElementPtrInst(LLVMGetOperand(store, 1)) || LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) >= 64)
		return;
	any_number(graph);
	LLVMPositionBuilderBefore(graph->b, store);
	value = forget_of_c(graph, LLVMBuildZExt(graph->b, value, i64, ""));
	LLVMSetOperand(store, 0, LLVMBuildTrunc(graph->b, value, type, ""));
}

// Nor what a cleared one is: it would be another array on paths that have stored nothing yet.
static void forget_cleared(struct graph *graph, LLVMValueRef call)
{
	LLVMValueRef array = LLVMGetOperand(call, 0), bytes = LLVMGetOperand(call, 2), zero;
	LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(call));
	LLVMTypeRef i8 = LLVMInt8TypeInContext(ctx), i64 = LLVMInt64TypeInContext(ctx);

	if (!LLVMIsAAllocaInst(array) || !is_truth(LLVMGetOperand(call, 1), 0) || !LLVMIsAConstantInt(bytes) ||
	    LLVMConstIntGetZExtValue(bytes) > MOST_CLEARED)
		return;
	any_number(graph);
	LLVMSetAlignment(array, 8);
	LLVMPositionBuilderBefore(graph->b, call);
	zero = forget_of_c(graph, LLVMConstInt(i64, 0, false));
	for (uint64_t at = 0, n = LLVMConstIntGetZExtValue(bytes); at < n;) {
		bool is_whole = n - at >= 8;
		LLVMValueRef distance = LLVMConstInt(i64, at, false), to = LLVMBuildGEP2(graph->b, i8, array, &distance, 1, "");

		LLVMSetAlignment(LLVMBuildStore(graph->b, is_whole ? zero : LLVMBuildTrunc(graph->b, zero, i8, ""), to), is_whole ? 8 : 1);
		at += is_whole ? 8 : 1;
	}
	LLVMInstructionEraseFromParent(call);
}

static void forget_arrays(struct graph *graph)
{
	sp_vec_each(b, &graph->blocks) {
		LLVMValueRef next;

		for (LLVMValueRef i = LLVMGetFirstInstruction(b->block); i; i = next) {
			LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
			size_t len;

			next = LLVMGetNextInstruction(i);
			if (LLVMIsAStoreInst(i))
				forget_stored(graph, i);
			if (callee && LLVMIsAFunction(callee) && sp_starts_with(LLVMGetValueName2(callee, &len), "llvm.memset."))
				forget_cleared(graph, i);
		}
	}
}

static bool is_sum(const struct graph *graph, LLVMValueRef phi)
{
	LLVMTypeRef type = LLVMTypeOf(phi);

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 1 && LLVMGetIntTypeWidth(type) <= 64 &&
	       !counts(graph, phi);
}

static void find_compared(struct graph *graph, const struct gen_loop *loop)
{
	for (LLVMValueRef phi = LLVMGetFirstInstruction(loop->head); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
		if (is_sum(graph, phi) && gen_uses_are_harmless(phi, only_ends, NULL))
			sp_vec_push(&graph->compared, phi);
}

static bool is_compared(const struct graph *graph, LLVMValueRef phi)
{
	for (size_t i = 0; i < graph->compared.n; i++)
		if (graph->compared.v[i] == phi)
			return true;
	return false;
}

static void forget_compared(struct graph *graph, const struct gen_loop *loop)
{
	for (LLVMValueRef phi = LLVMGetFirstInstruction(loop->head); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
		if (is_compared(graph, phi))
			forget_sum(graph, phi, loop->last, NULL);
}

static bool is_index(const struct graph *graph, LLVMValueRef phi)
{
	bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind;

	return !graph->g && (is_pointer || is_sum(graph, phi)) && !is_compared(graph, phi) && gen_uses_are_harmless(phi, no_distance, NULL);
}

static void find_indexes(struct graph *graph, const struct gen_loop *loop)
{
	const struct gen_loops loops = { graph->loops.v, graph->loops.n, graph->compared.v, graph->compared.n };

	for (LLVMValueRef phi = LLVMGetFirstInstruction(loop->head); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
		struct index index = { .variable = phi, .last = loop->last };

		if (!is_index(graph, phi))
			continue;
		index.is_checked = !gen_sums_range(&loops, phi, &index.range);
		if (!index.is_checked || (is_sum(graph, phi) && gen_uses_are_harmless(phi, only_checked, NULL)))
			sp_vec_push(&graph->indexes, index);
	}
}

// ---- loops ------------------------------------------------------------------------------------------------------------------------------

// The blocks from which the loop's last one is reached without its head.
static void collect_loop(struct graph *graph, size_t last)
{
	bool more = true;

	sp_vec_each(b, &graph->blocks)
		b->in_loop = false;
	graph->blocks.v[graph->head].in_loop = graph->blocks.v[last].in_loop = true;
	while (more) {
		more = false;
		sp_vec_each(b, &graph->blocks)
			for (unsigned i = 0; !b->in_loop && i < b->n_next; i++)
				if (b->next[i] != graph->head && graph->blocks.v[b->next[i]].in_loop)
					b->in_loop = more = true;
	}
}

// Linux 6.1 lets a loop go back by a jump alone, and there is none where the code is laid out so that a round goes on to the head.
static void end_round_by_jump(LLVMBuilderRef b, LLVMBasicBlockRef last)
{
	static const char jump[] = "goto +0";
	LLVMValueRef end = LLVMGetBasicBlockTerminator(last), code;
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetTypeContext(LLVMTypeOf(end))), NULL, 0, false);

	if (LLVMGetNumSuccessors(end) > 1)
		return;
	code = LLVMGetInlineAsm(type, (char *)jump, strlen(jump), (char *)"", 0, true, false, LLVMInlineAsmDialectATT, false);
	LLVMPositionBuilderBefore(b, end);
	LLVMBuildCall2(b, type, code, NULL, 0, "");
}

static void note_loop(struct graph *graph, size_t last)
{
	struct gen_loop loop = { .head = graph->blocks.v[graph->head].block, .last = graph->blocks.v[last].block };
	unsigned round = last_round(graph, last);

	loop.is_bounded = round;
	loop.is_counted = round && is_counted(graph);
	loop.rounds = round && round != GEN_SOME_DAY ? round - 1 : 0;
	graph->is_unbounded |= !round;
	sp_vec_each(other, &graph->loops)
		if (other->head == loop.head)
			other->rounds = loop.rounds = 0; // it goes back in two ways
	sp_vec_push(&graph->loops, loop);
}

static void follow(struct graph *graph, size_t at)
{
	struct block *b = &graph->blocks.v[at];

	b->state = ON_PATH;
	for (unsigned i = 0; i < b->n_next; i++) {
		if (graph->blocks.v[b->next[i]].state == NEW)
			follow(graph, b->next[i]);
		if (graph->blocks.v[b->next[i]].state != ON_PATH)
			continue;
		graph->head = b->next[i];
		collect_loop(graph, at);
		if (!graph->g)
			end_round_by_jump(graph->b, b->block);
		note_loop(graph, at);
	}
	b->state = DONE;
}

static void collect_blocks(struct graph *graph, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block)) {
		struct block new = { .block = block, .n_next = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) };

		new.next = sp_calloc(new.n_next + 1, sizeof(*new.next));
		sp_vec_push(&graph->blocks, new);
	}
	sp_vec_each(b, &graph->blocks)
		for (unsigned i = 0; i < b->n_next; i++)
			b->next[i] = number_of(graph, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(b->block), i));
}

static void each_bounded_loop(struct graph *graph, void (*look)(struct graph *graph, const struct gen_loop *loop))
{
	sp_vec_each(loop, &graph->loops) {
		if (!loop->is_bounded)
			continue;
		graph->head = number_of(graph, loop->head);
		collect_loop(graph, number_of(graph, loop->last));
		look(graph, loop);
	}
}

static void look_at(struct graph *graph, LLVMValueRef fn)
{
	collect_blocks(graph, fn);
	follow(graph, 0);
	each_bounded_loop(graph, find_compared);
	each_bounded_loop(graph, find_indexes);
	each_bounded_loop(graph, forget_compared);
	sp_vec_each(index, &graph->indexes)
		forget_sum(graph, index->variable, index->last, index->is_checked ? NULL : &index->range);
	if (graph->indexes.n)
		forget_arrays(graph);
	sp_vec_each(b, &graph->blocks)
		free(b->next);
	sp_vec_deinit(&graph->compared);
	sp_vec_deinit(&graph->indexes);
	sp_vec_deinit(&graph->loops);
	sp_vec_deinit(&graph->blocks);
}

bool gen_loops_are_unbounded(LLVMBuilderRef builder, LLVMValueRef fn)
{
	struct graph graph = { .b = builder };

	look_at(&graph, fn);
	return graph.is_unbounded;
}

void gen_loops_forget_sums(struct gen *g, LLVMValueRef fn)
{
	struct graph graph = { .b = g->b, .g = g };

	if (LLVMCountBasicBlocks(fn) > 1 && LLVMCountBasicBlocks(fn) <= MOST_BLOCKS)
		look_at(&graph, fn);
}
