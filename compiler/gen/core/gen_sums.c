// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_sums.h"

#include "runtime/base/util.h"

#include <string.h>

#define MOST_STEPS 2000 // that are taken for one variable
#define MOST_DEPTH 60
#define MOST_WAYS 6 // conditions before a place that are looked at
#define FARTHEST (1 << 24) // beyond that no index makes sense

struct interval {
	bool is; // is there any number in it?
	int64_t low, high;
	bool has_hole; // one number is not in it
	int64_t hole;
};

#define INTERVAL(low, high) ((struct interval){ true, low, high, false, 0 })

// Where a value can be: at some distance of a loop's variable, or somewhere whatever that is. Where it is above the variable, it is not above
// `top`, and where below, not below `bottom`, as conditions have it; by `n != 31` it is not above 31 where it moves by 1, if the variable is not:
// all such numbers are not below `roof`, and by those for ways down not above `floor`.
struct reach {
	struct interval from, at;
	int64_t top, bottom, roof, floor;
};

struct sums {
	const struct gen_loops *loops;
	unsigned steps, depth;
	bool is_unknown; // something was met of which nothing is known
	int64_t farthest; // of all that was met
	unsigned narrowest; // bits
	struct gen_known known;
	bool varies; // it is not the same on all paths
};

static struct reach reach_of(struct sums *s, LLVMValueRef value, LLVMValueRef from);

static struct reach unknown(struct sums *s)
{
	s->is_unknown = true;
	return (struct reach){ 0 };
}

static struct interval joined(struct interval a, struct interval b)
{
	if (!a.is || !b.is)
		return a.is ? a : b;
	return (struct interval){ true, a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
				  a.has_hole && b.has_hole && a.hole == b.hole, a.hole };
}

static struct interval moved(struct sums *s, struct interval a, struct interval by)
{
	if (!a.is || !by.is)
		return (struct interval){ 0 };
	a.low += by.low;
	a.high += by.high;
	if (a.low < -FARTHEST || a.high > FARTHEST)
		s->is_unknown = true;
	if (s->farthest < (a.high > -a.low ? a.high : -a.low))
		s->farthest = a.high > -a.low ? a.high : -a.low;
	return a;
}

static const struct interval anything = { true, INT64_MIN, INT64_MAX, false, 0 };

static bool goes_up(const struct reach *a)
{
	return a->from.is && a->from.high > 0;
}

static bool goes_down(const struct reach *a)
{
	return a->from.is && a->from.low < 0;
}

static struct reach either(struct reach a, struct reach b)
{
	int64_t top_a = goes_up(&a) ? a.top : INT64_MIN, top_b = goes_up(&b) ? b.top : INT64_MIN;
	int64_t bottom_a = goes_down(&a) ? a.bottom : INT64_MAX, bottom_b = goes_down(&b) ? b.bottom : INT64_MAX;
	int64_t roof_a = goes_up(&a) ? a.roof : INT64_MAX, roof_b = goes_up(&b) ? b.roof : INT64_MAX;
	int64_t floor_a = goes_down(&a) ? a.floor : INT64_MIN, floor_b = goes_down(&b) ? b.floor : INT64_MIN;

	return (struct reach){ joined(a.from, b.from),	       joined(a.at, b.at),
			       top_a > top_b ? top_a : top_b,	       bottom_a < bottom_b ? bottom_a : bottom_b,
			       roof_a < roof_b ? roof_a : roof_b, floor_a > floor_b ? floor_a : floor_b };
}

static struct reach moved_by(struct sums *s, struct reach a, struct interval by)
{
	if (by.is && !by.low && !by.high)
		return a;
	return (struct reach){ moved(s, a.from, by), moved(s, a.at, by), INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN };
}

static struct interval times(struct sums *s, struct interval a, int64_t n)
{
	if (a.low < -FARTHEST || a.high > FARTHEST || n > FARTHEST)
		s->is_unknown = true;
	return s->is_unknown ? INTERVAL(0, 0) : INTERVAL(a.low * n, a.high * n);
}

static struct reach somewhere(struct sums *s, int64_t low, int64_t high)
{
	return moved_by(s, (struct reach){ .at = INTERVAL(0, 0) }, INTERVAL(low, high));
}

static struct reach constant(struct sums *s, LLVMValueRef value)
{
	int64_t number = LLVMConstIntGetSExtValue(value);

	return number < -FARTHEST || number > FARTHEST ? unknown(s) : somewhere(s, number, number);
}

// ---- conditions --------------------------------------------------------------------------------------------------------------------------

static void narrow(struct interval *known, LLVMIntPredicate is, int64_t end)
{
	bool is_below = is == LLVMIntSLT || is == LLVMIntSLE || is == LLVMIntULT || is == LLVMIntULE || is == LLVMIntEQ;
	bool is_above = is == LLVMIntSGT || is == LLVMIntSGE || is == LLVMIntEQ;
	int64_t high = end - (is == LLVMIntSLT || is == LLVMIntULT), low = end + (is == LLVMIntSGT);

	if (is == LLVMIntNE) {
		known->has_hole = true;
		known->hole = end;
	}
	if ((is == LLVMIntULT || is == LLVMIntULE) && end < 0)
		return; // 200 of 8 bits, as in `n < 200`: it is above all that a range has
	if ((is == LLVMIntULT || is == LLVMIntULE) && known->low < 0)
		known->low = 0;
	if (is_below && known->high > high)
		known->high = high;
	if (is_above && known->low < low)
		known->low = low;
}

static LLVMIntPredicate opposite(LLVMIntPredicate is)
{
	static const LLVMIntPredicate opposites[][2] = { { LLVMIntEQ, LLVMIntNE }, { LLVMIntSLT, LLVMIntSGE }, { LLVMIntSGT, LLVMIntSLE },
							 { LLVMIntULT, LLVMIntUGE }, { LLVMIntUGT, LLVMIntULE } };

	for (size_t i = 0; i < SP_ARRAY_SIZE(opposites); i++)
		for (unsigned side = 0; side < 2; side++)
			if (opposites[i][side] == is)
				return opposites[i][!side];
	return is;
}

static bool is_truth(LLVMValueRef value, bool truth)
{
	return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == truth;
}

// LLVM keeps conditions for BPF apart from each other by a call that gives its second argument.
static LLVMValueRef passed_through(LLVMValueRef condition)
{
	LLVMValueRef callee = LLVMIsACallInst(condition) ? LLVMGetCalledValue(condition) : NULL;
	size_t len;
	bool is_passed = callee && LLVMIsAFunction(callee) && sp_starts_with(LLVMGetValueName2(callee, &len), "llvm.bpf.passthrough.");

	return is_passed ? LLVMGetOperand(condition, 1) : condition;
}

// What is known of a number where a condition is `value`.
static void learn(struct interval *known, LLVMValueRef passed, bool value, LLVMValueRef number, unsigned depth)
{
	LLVMValueRef condition = passed_through(passed);
	LLVMOpcode op = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : LLVMRet;
	bool is_and = op == LLVMAnd || (op == LLVMSelect && is_truth(LLVMGetOperand(condition, 2), false));
	bool is_or = op == LLVMOr || (op == LLVMSelect && is_truth(LLVMGetOperand(condition, 1), true));
	LLVMIntPredicate is;

	if (depth && (value ? is_and : is_or)) { // both are
		learn(known, LLVMGetOperand(condition, 0), value, number, depth - 1);
		learn(known, LLVMGetOperand(condition, op == LLVMSelect && is_or ? 2 : 1), value, number, depth - 1);
	}
	if (op != LLVMICmp || LLVMGetOperand(condition, 0) != number || !LLVMIsAConstantInt(LLVMGetOperand(condition, 1)))
		return;
	is = LLVMGetICmpPredicate(condition);
	if (LLVMConstIntGetSExtValue(LLVMGetOperand(condition, 1)) >= -FARTHEST && LLVMConstIntGetSExtValue(LLVMGetOperand(condition, 1)) <= FARTHEST)
		narrow(known, value ? is : opposite(is), LLVMConstIntGetSExtValue(LLVMGetOperand(condition, 1)));
}

static struct interval known_on_way(LLVMBasicBlockRef block, LLVMBasicBlockRef next, LLVMValueRef number, unsigned depth);

// What is known of a number of a loop's head in another block: what is known on all ways to it.
static struct interval known_in(LLVMBasicBlockRef block, LLVMValueRef number, unsigned depth)
{
	struct interval known = { 0 };

	if (!depth || !number || block == LLVMGetInstructionParent(number))
		return anything;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
		if (LLVMIsATerminatorInst(LLVMGetUser(use)))
			known = joined(known, known_on_way(LLVMGetInstructionParent(LLVMGetUser(use)), block, number, depth - 1));
	return known.is ? known : anything;
}

static struct interval known_on_way(LLVMBasicBlockRef block, LLVMBasicBlockRef next, LLVMValueRef number, unsigned depth)
{
	struct interval known = known_in(block, number, depth);
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

	if (gen_known_is_conditional(end) && LLVMGetSuccessor(end, 0) != LLVMGetSuccessor(end, 1))
		learn(&known, LLVMGetCondition(end), LLVMGetSuccessor(end, 0) == next, number, MOST_DEPTH);
	return known;
}

static struct reach where(struct reach reach, struct interval known)
{
	if (goes_up(&reach) && known.high < FARTHEST && known.high + reach.from.high < reach.top)
		reach.top = known.high + reach.from.high;
	if (goes_down(&reach) && known.low > -FARTHEST && known.low + reach.from.low > reach.bottom)
		reach.bottom = known.low + reach.from.low;
	if (known.has_hole && reach.from.is && reach.from.high == 1 && known.hole < reach.top)
		reach.top = reach.roof = known.hole;
	if (known.has_hole && reach.from.is && reach.from.low == -1 && known.hole > reach.bottom)
		reach.bottom = reach.floor = known.hole;
	return reach;
}

// ---- values ------------------------------------------------------------------------------------------------------------------------------

static const struct gen_loop *loop_of(const struct sums *s, LLVMValueRef phi)
{
	return gen_known_loop(s->loops, LLVMGetInstructionParent(phi));
}

// What rounds make of numbers goes no farther than conditions let it.
static void stop_at_ends(struct interval *all, struct interval begins, const struct reach *round)
{
	int64_t high = round->top > begins.high ? round->top : begins.high, low = round->bottom < begins.low ? round->bottom : begins.low;

	if (begins.is && goes_up(round) && high < all->high && high <= round->roof)
		all->high = high;
	if (begins.is && goes_down(round) && low > all->low && low >= round->floor)
		all->low = low;
}

// A variable of a loop's head: what it begins with, and what all rounds can add.
static struct reach all_rounds(struct sums *s, const struct gen_loop *loop, LLVMValueRef phi, LLVMValueRef from)
{
	struct reach begins = { 0 }, round = { 0 }, all;
	struct interval added;

	s->varies |= !loop->is_counted;

	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);

		if (LLVMGetIncomingBlock(phi, i) == loop->last)
			round = either(round, reach_of(s, value, phi));
		else
			begins = either(begins, reach_of(s, value, from));
	}
	begins.at = joined(begins.at, round.at);
	added = times(s, joined(round.from, INTERVAL(0, 0)), loop->rounds);
	all = moved_by(s, begins, added);
	if (all.from.is && !begins.from.low && !begins.from.high) // as a round of the loop around this one
		all = (struct reach){ all.from, all.at, goes_up(&round) ? round.top : all.top, goes_down(&round) ? round.bottom : all.bottom,
				      goes_up(&round) ? round.roof : all.roof, goes_down(&round) ? round.floor : all.floor };
	stop_at_ends(&all.at, begins.at, &round);
	return all;
}

static struct reach of_phi(struct sums *s, LLVMValueRef phi, LLVMValueRef from)
{
	const struct gen_loop *loop = loop_of(s, phi);
	struct reach reach = { 0 };

	if (loop)
		return loop->rounds ? all_rounds(s, loop, phi, from) : unknown(s);
	s->varies = s->varies || (LLVMCountIncoming(phi) > 1 && !gen_known_way(&s->known, phi));
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		reach = either(reach, where(reach_of(s, LLVMGetIncomingValue(phi, i), from),
					    known_on_way(LLVMGetIncomingBlock(phi, i), LLVMGetInstructionParent(phi), from, MOST_WAYS)));
	return reach;
}

static struct reach of_choice(struct sums *s, LLVMValueRef select, LLVMValueRef from)
{
	struct reach reach = { 0 };

	s->varies = s->varies || !gen_known_is(&s->known, LLVMGetOperand(select, 0));
	for (unsigned i = 1; i <= 2; i++) {
		struct interval known = anything;

		learn(&known, LLVMGetOperand(select, 0), i == 1, from, MOST_DEPTH);
		reach = either(reach, where(reach_of(s, LLVMGetOperand(select, i), from), known));
	}
	return reach;
}

// The sum or difference of two, of which one does not depend on the loop's variable.
static struct reach of_sum(struct sums *s, LLVMValueRef sum, LLVMValueRef from)
{
	struct reach a = reach_of(s, LLVMGetOperand(sum, 0), from), b = reach_of(s, LLVMGetOperand(sum, 1), from);

	if (LLVMGetInstructionOpcode(sum) == LLVMSub) {
		if (b.from.is)
			return unknown(s);
		b.at = (struct interval){ .is = b.at.is, .low = -b.at.high, .high = -b.at.low };
	}
	if (a.from.is && b.from.is)
		return unknown(s);
	return b.from.is ? moved_by(s, b, a.at) : moved_by(s, a, b.at);
}

// Bits that are set add no more than they are worth.
static struct reach of_or(struct sums *s, LLVMValueRef or, LLVMValueRef from)
{
	LLVMValueRef bits = LLVMGetOperand(or, 1);

	if (!LLVMIsAConstantInt(bits) || LLVMConstIntGetSExtValue(bits) < 0 || LLVMConstIntGetSExtValue(bits) > FARTHEST)
		return unknown(s);
	return moved_by(s, reach_of(s, LLVMGetOperand(or, 0), from), INTERVAL(0, LLVMConstIntGetSExtValue(bits)));
}

static struct reach of_mask(struct sums *s, LLVMValueRef and)
{
	LLVMValueRef mask = LLVMGetOperand(and, 1);

	if (!LLVMIsAConstantInt(mask) || LLVMConstIntGetSExtValue(mask) < 0 || LLVMConstIntGetSExtValue(mask) > FARTHEST)
		return unknown(s);
	return somewhere(s, 0, LLVMConstIntGetSExtValue(mask));
}

// A number of other bits is the same where they hold all that it can be.
static struct reach of_cast(struct sums *s, LLVMValueRef cast, LLVMValueRef from)
{
	LLVMValueRef number = LLVMGetOperand(cast, 0);
	LLVMOpcode op = LLVMGetInstructionOpcode(cast);
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(number));
	struct sums before = *s;
	struct reach reach;

	s->varies = s->varies || (bits == 1 && !gen_known_is(&s->known, number)); // a condition becomes a branch
	before.varies = s->varies;
	reach = reach_of(s, number, from);
	if (s->is_unknown && bits <= 16 && op != LLVMTrunc) {
		before.steps = s->steps;
		*s = before;
		return op == LLVMZExt ? somewhere(s, 0, (1 << bits) - 1) : somewhere(s, -(1 << (bits - 1)), (1 << (bits - 1)) - 1);
	}
	if (!reach.from.is && op != LLVMTrunc && reach.at.low >= 0 && reach.at.high < INT64_C(1) << (bits - 1))
		s->narrowest = before.narrowest; // its bits hold it, whatever becomes of the variable
	return op == LLVMZExt && (reach.from.is || reach.at.low < 0) ? unknown(s) : reach;
}

// The smaller or larger one of two is one of them. What is taken away from a number down to 0 leaves that or 0.
static struct reach of_call(struct sums *s, LLVMValueRef call, LLVMValueRef from)
{
	static const char *const chooses[] = { "llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax." };
	size_t len;
	const char *name = LLVMIsAFunction(LLVMGetCalledValue(call)) ? LLVMGetValueName2(LLVMGetCalledValue(call), &len) : "";

	s->varies = s->varies || !gen_known_is(&s->known, call);
	for (size_t i = 0; i < SP_ARRAY_SIZE(chooses); i++)
		if (sp_starts_with(name, chooses[i]))
			return either(reach_of(s, LLVMGetOperand(call, 0), from), reach_of(s, LLVMGetOperand(call, 1), from));
	if (sp_starts_with(name, "llvm.usub.sat.") && LLVMIsAConstantInt(LLVMGetOperand(call, 1))) {
		struct reach less = constant(s, LLVMGetOperand(call, 1));

		less.at = (struct interval){ .is = less.at.is, .low = -less.at.high, .high = -less.at.low };
		return either(moved_by(s, reach_of(s, LLVMGetOperand(call, 0), from), less.at), somewhere(s, 0, 0));
	}
	return unknown(s);
}

// A pointer that is moved by constant bytes.
static struct reach of_pointer(struct sums *s, LLVMValueRef gep, LLVMValueRef from)
{
	LLVMTypeRef element = LLVMGetGEPSourceElementType(gep);
	LLVMValueRef index = LLVMGetOperand(gep, 1);
	struct reach by;

	if (LLVMGetNumOperands(gep) != 2 || LLVMGetTypeKind(element) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) % 8)
		return unknown(s);
	by = reach_of(s, index, NULL);
	if (s->is_unknown || !by.at.is)
		return unknown(s);
	return moved_by(s, reach_of(s, LLVMGetOperand(gep, 0), from), times(s, by.at, LLVMGetIntTypeWidth(element) / 8));
}

static struct reach of_instruction(struct sums *s, LLVMValueRef value, LLVMValueRef from)
{
	switch ((int)LLVMGetInstructionOpcode(value)) {
	case LLVMPHI:
		return of_phi(s, value, from);
	case LLVMSelect:
		return of_choice(s, value, from);
	case LLVMAdd:
	case LLVMSub:
		return of_sum(s, value, from);
	case LLVMOr:
		return of_or(s, value, from);
	case LLVMAnd:
		return of_mask(s, value);
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
		return of_cast(s, value, from);
	case LLVMFreeze:
		return reach_of(s, LLVMGetOperand(value, 0), from);
	case LLVMCall:
		return of_call(s, value, from);
	case LLVMGetElementPtr:
		return of_pointer(s, value, from);
	}
	return unknown(s);
}

static struct reach reach_of(struct sums *s, LLVMValueRef value, LLVMValueRef from)
{
	struct reach reach = { .from = INTERVAL(0, 0) };

	if (value == from || s->is_unknown)
		return reach;
	if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(value)) < s->narrowest)
		s->narrowest = LLVMGetIntTypeWidth(LLVMTypeOf(value));
	if (LLVMIsAConstantInt(value))
		return constant(s, value);
	if (!LLVMIsAInstruction(value) || s->depth == MOST_DEPTH || ++s->steps > MOST_STEPS)
		return unknown(s);
	s->depth++;
	reach = of_instruction(s, value, from);
	s->depth--;
	return reach;
}

// Memory of the program's own, of which the verifier takes an address with any distance in a range.
static bool is_own(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAAllocaInst(pointer) || LLVMIsAArgument(pointer);
}

// Of the loop that the variable is of: what it begins with, and what a round makes of it.
static bool look_at(struct sums *s, LLVMValueRef variable, LLVMValueRef *begins_ret, struct reach *round_ret)
{
	const struct gen_loop *loop = loop_of(s, variable);
	LLVMValueRef first;

	if (!loop || !loop->rounds || LLVMCountIncoming(variable) != 2)
		return false;
	first = LLVMGetIncomingValue(variable, LLVMGetIncomingBlock(variable, 0) == loop->last);
	*round_ret = reach_of(s, LLVMGetIncomingValue(variable, LLVMGetIncomingBlock(variable, 0) != loop->last), variable);
	*begins_ret = first;
	return !s->is_unknown;
}

// Once what a round makes of it is known.
static bool find_range(struct sums *s, LLVMValueRef variable, LLVMValueRef begins, const struct reach *round, struct gen_range *ret)
{
	bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(variable)) == LLVMPointerTypeKind;
	struct reach all;

	if (is_pointer && (!is_own(begins) || round->at.is))
		return false;
	all = all_rounds(s, loop_of(s, variable), variable, is_pointer ? begins : NULL);
	if (s->is_unknown || s->narrowest < 2 || s->farthest >= INT64_C(1) << (s->narrowest - 2))
		return false;
	all.at = is_pointer ? all.from : all.at;
	*ret = (struct gen_range){ all.at.low, all.at.high, is_pointer ? begins : NULL };
	return all.at.is;
}

bool gen_sums_range(const struct gen_loops *loops, LLVMValueRef variable, struct gen_range *ret)
{
	struct sums s = { .loops = loops, .narrowest = 64, .known = { loops } };
	LLVMTypeRef type = LLVMTypeOf(variable);
	bool is_narrow = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 8;
	LLVMValueRef begins = NULL;
	struct reach round;

	s.known.loop = loop_of(&s, variable);
	if (look_at(&s, variable, &begins, &round)) {
		if (!s.varies)
			return false;
		if (find_range(&s, variable, begins, &round, ret))
			return true;
	}
	if (is_narrow)
		*ret = (struct gen_range){ 0, (1 << LLVMGetIntTypeWidth(type)) - 1, NULL };
	return is_narrow;
}

bool gen_sums_is_checked(LLVMBasicBlockRef block, LLVMValueRef number)
{
	while (LLVMIsAInstruction(number)) {
		LLVMOpcode op = LLVMGetInstructionOpcode(number);
		struct interval known = known_in(block, number, MOST_WAYS);

		if (known.low >= -FARTHEST && known.high <= FARTHEST)
			return true;
		if (op != LLVMZExt && op != LLVMSExt && (op != LLVMAdd || !LLVMIsAConstantInt(LLVMGetOperand(number, 1))))
			return false;
		number = LLVMGetOperand(number, 0);
	}
	return false;
}

bool gen_sums_is_not_negative(LLVMBasicBlockRef block, LLVMValueRef number)
{
	return known_in(block, number, MOST_WAYS).low >= 0;
}
