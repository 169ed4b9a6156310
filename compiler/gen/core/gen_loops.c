// SPDX-License-Identifier: GPL-2.0-or-later
// The verifier follows each round of a loop: it has to see that a number which grows by constants comes to one.
#include "compiler/gen/core/gen_loops.h"

#include "runtime/base/util.h"
#include "runtime/base/vec.h"

#include <linux/bpf.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>

struct block {
	LLVMBasicBlockRef block;
	size_t *next;
	unsigned n_next;
	enum { NEW, ON_PATH, DONE } state;
	bool in_loop; // the one that is looked at
};

#define MOST_USES 64 // that are looked at before a number is left as it is
#define MOST_BLOCKS 2000 // of a handler: what is found takes their square

struct uses {
	LLVMValueRef seen[MOST_USES];
	unsigned n;
};

// A function's.
struct graph {
	SP_VEC(struct block) blocks;
	LLVMBuilderRef b;
	struct gen *g; // of a handler; NULL: of embedded C
	size_t head; // of that loop
	bool is_unbounded;
	LLVMValueRef any; // a number that the verifier does not know; NULL: none so far
	SP_VEC(LLVMValueRef) forgotten; // the calls that let it forget a sum
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

// Is this condition `value` once a counter has come to a constant? Where a round may go on whatever the counter says, as in
// `if (x) continue; if (i > 10) break;`, of which LLVM makes `x || i <= 10`, it is not.
static bool comes_to(const struct graph *graph, LLVMValueRef condition, bool value)
{
	LLVMOpcode op = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : LLVMRet;
	bool is_and = op == LLVMAnd || (op == LLVMSelect && is_truth(LLVMGetOperand(condition, 2), false)); // a lazy `and`
	bool is_or = op == LLVMOr || (op == LLVMSelect && is_truth(LLVMGetOperand(condition, 1), true));
	unsigned other = op == LLVMSelect && is_or ? 2 : 1;

	if (is_and || is_or) {
		bool first = comes_to(graph, LLVMGetOperand(condition, 0), value);

		// One decides if it is the value that the operator lets through.
		return first == (is_or == value) ? first : comes_to(graph, LLVMGetOperand(condition, other), value);
	}
	if (op == LLVMXor && is_truth(LLVMGetOperand(condition, 1), true))
		return comes_to(graph, LLVMGetOperand(condition, 0), !value);
	if (op == LLVMPHI)
		return is_in_second(graph, condition, value);
	return op == LLVMICmp && LLVMIsAConstantInt(LLVMGetOperand(condition, 1)) && counts(graph, LLVMGetOperand(condition, 0));
}

static bool is_conditional(LLVMValueRef end)
{
#if LLVM_VERSION_MAJOR >= 23
	return LLVMGetInstructionOpcode(end) == LLVMCondBr;
#else
	return LLVMGetInstructionOpcode(end) == LLVMBr && LLVMIsConditional(end);
#endif
}

static bool is_bounded(const struct graph *graph)
{
	sp_vec_each(b, &graph->blocks) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b->block);

		if (!b->in_loop || !is_conditional(end) ||
		    (graph->blocks.v[b->next[0]].in_loop && graph->blocks.v[b->next[1]].in_loop))
			continue;
		if (comes_to(graph, LLVMGetCondition(end), !graph->blocks.v[b->next[0]].in_loop))
			return true;
	}
	return false;
}

// ---- sums -------------------------------------------------------------------------------------------------------------------------------

// LLVM's own, such as llvm.smax; or the end of another sum's round.
static bool is_harmless_call(const struct graph *graph, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	sp_vec_each(forgotten, &graph->forgotten)
		if (*forgotten == call)
			return true;
	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee);
}

// Whatever number it is, nothing but ways out and other numbers depend on it: no address, and no argument of a helper.
static bool is_harmless(const struct graph *graph, struct uses *uses, LLVMValueRef value)
{
	for (unsigned i = 0; i < uses->n; i++)
		if (uses->seen[i] == value)
			return true;
	if (uses->n == MOST_USES)
		return false;
	uses->seen[uses->n++] = value;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMOpcode op = LLVMGetInstructionOpcode(user);
		bool is_end = op == LLVMICmp || op == LLVMSwitch || op == LLVMRet || (op == LLVMStore && LLVMGetOperand(user, 1) != value) ||
			      (op == LLVMAnd && LLVMIsAConstantInt(LLVMGetOperand(user, 1))); // an index then, whatever comes
		bool is_number = LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind && op != LLVMLoad &&
				 (op != LLVMCall || is_harmless_call(graph, user));

		if (!is_end && !(is_number && is_harmless(graph, uses, user)))
			return false;
	}
	return true;
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
	sp_vec_push(&graph->forgotten, number);
	return LLVMBuildTruncOrBitCast(graph->b, number, own, "");
}

// A sum that grows in some rounds alone has another value on each path through the rounds, and where it is compared the verifier would follow
// them all. It is forgotten at the end of each round: that the loop ends is known by its counter.
static void forget_sums(struct graph *graph, LLVMBasicBlockRef last)
{
	for (LLVMValueRef phi = LLVMGetFirstInstruction(graph->blocks.v[graph->head].block); phi && LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi)) {
		LLVMTypeRef type = LLVMTypeOf(phi);
		LLVMValueRef forgotten = NULL;
		struct uses uses = { .n = 0 };

		if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) == 1 || LLVMGetIntTypeWidth(type) > 64 ||
		    counts(graph, phi) || !is_harmless(graph, &uses, phi))
			continue;
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
			if (LLVMGetIncomingBlock(phi, i) != last)
				continue;
			if (!forgotten)
				forgotten = forget(graph, LLVMGetIncomingValue(phi, i), LLVMGetBasicBlockTerminator(last));
			LLVMSetOperand(phi, i, forgotten);
		}
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
		if (is_bounded(graph))
			forget_sums(graph, b->block);
		else
			graph->is_unbounded = true;
	}
	b->state = DONE;
}

static void look_at(struct graph *graph, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block)) {
		struct block new = { .block = block, .n_next = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) };

		new.next = sp_calloc(new.n_next + 1, sizeof(*new.next));
		sp_vec_push(&graph->blocks, new);
	}
	sp_vec_each(b, &graph->blocks)
		for (unsigned i = 0; i < b->n_next; i++)
			b->next[i] = number_of(graph, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(b->block), i));
	follow(graph, 0);
	sp_vec_each(b, &graph->blocks)
		free(b->next);
	sp_vec_deinit(&graph->forgotten);
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
