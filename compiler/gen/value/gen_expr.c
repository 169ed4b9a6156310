// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/value/gen_expr.h"

#include "compiler/gen/core/gen_context.h"
#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_embed.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/core/gen_read.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/text/gen_regex.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_symbols.h"
#include "compiler/gen/text/gen_text_fn.h"

// ---- arithmetic ---------------------------------------------------------------------------------

// (x ^ sign) - sign: negates where sign is -1.
static LLVMValueRef negate_by(struct gen *g, LLVMValueRef x, LLVMValueRef sign)
{
	return LLVMBuildSub(g->b, LLVMBuildXor(g->b, x, sign, ""), sign, "");
}

// BPF divides unsigned numbers only (cpu v3): divide the magnitudes. That of INT64_MIN is right as an
// unsigned number, so INT64_MIN / -1 is INT64_MIN, and INT64_MIN % -1 is 0.
static LLVMValueRef divide_signed(struct gen *g, LLVMValueRef a, LLVMValueRef b, bool rest)
{
	LLVMValueRef sign_a = LLVMBuildAShr(g->b, a, gen_i64(g, 63), "");
	LLVMValueRef sign_b = LLVMBuildAShr(g->b, b, gen_i64(g, 63), "");
	LLVMValueRef abs_a = negate_by(g, a, sign_a), abs_b = negate_by(g, b, sign_b);

	if (rest)
		return negate_by(g, LLVMBuildURem(g->b, abs_a, abs_b, ""), sign_a);
	return negate_by(g, LLVMBuildUDiv(g->b, abs_a, abs_b, ""),
			 LLVMBuildXor(g->b, sign_a, sign_b, ""));
}

static LLVMValueRef divide(struct gen *g, const struct ir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	bool rest = e->op == IR_MOD || e->op == IR_UMOD;

	if (!LLVMIsAConstantInt(b) || LLVMConstIntGetZExtValue(b) == 0)
		gen_fail_if(g, gen_is_zero(g, b), SP_RT_DIVISION, e->place, NULL);
	if (e->op == IR_DIV || e->op == IR_MOD)
		return divide_signed(g, a, b, rest);
	return rest ? LLVMBuildURem(g->b, a, b, "") : LLVMBuildUDiv(g->b, a, b, "");
}

// IR_ADD to IR_USHR
static LLVMValueRef arithmetic(struct gen *g, const struct ir_expr *e)
{
	static const LLVMOpcode opcodes[] = {
		[IR_ADD] = LLVMAdd, [IR_SUB] = LLVMSub, [IR_MUL] = LLVMMul,
		[IR_AND] = LLVMAnd, [IR_OR] = LLVMOr, [IR_XOR] = LLVMXor,
		[IR_SHL] = LLVMShl, [IR_SHR] = LLVMAShr, [IR_USHR] = LLVMLShr,
	};
	LLVMValueRef a = gen_long(g, e->a), b = gen_long(g, e->b);

	if (!opcodes[e->op])
		return divide(g, e, a, b);
	if (e->op >= IR_SHL)
		b = LLVMBuildAnd(g->b, b, gen_i64(g, 63), "");
	return LLVMBuildBinOp(g->b, opcodes[e->op], a, b, "");
}

// ---- memory -------------------------------------------------------------------------------------

// The arguments of fentry, fexit and iterators are typed for the verifier, which allows little with pointers: they
// are taken as numbers.
static LLVMValueRef typed_argument(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef value = gen_context_load(g, e->offset & ~7LL, 8);

	value = gen_launder(g, value);
	if (e->offset & 7)
		value = LLVMBuildLShr(g->b, value, gen_i64(g, (e->offset & 7) * 8), "");
	return gen_extend(g, value, e->size * 8, e->is_signed);
}

static LLVMValueRef context(struct gen *g, const struct ir_expr *e)
{
	enum sp_prog_kind kind = g->fn->prog->kind;
	LLVMValueRef value;

	if (e->size == 0)
		return LLVMBuildAdd(g->b, gen_launder(g, gen_address(g, g->fn->ctx)),
				    gen_i64(g, e->offset), "");
	if (kind == SP_PROG_FENTRY || kind == SP_PROG_FEXIT || kind == SP_PROG_ITER || kind == SP_PROG_LSM ||
	    kind == SP_PROG_NETFILTER || kind == SP_PROG_REPLACE)
		return typed_argument(g, e);
	value = gen_context_load(g, e->offset, e->size);
	return e->is_signed ? gen_extend(g, value, e->size * 8, true) : value;
}

// Bytes at an address of the probed kernel or process; a fault fails.
static LLVMValueRef load(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef addr, buffer, result, is_read;
	uint32_t mark;

	if (e->space == IR_SPACE_TASK) {
		result = g->engine->task_member(g, e);
		return gen_extend(g, result, e->size * 8, e->is_signed);
	}
	addr = gen_long(g, e->a);
	mark = gen_mark(g);
	buffer = gen_temp(g, 8);
	result = gen_read(g, &(struct gen_read){ e->space, false, buffer, gen_i64(g, e->size), addr, e->size });
	if (!g->unit->faults_are_zero && !e->b) // the helper has written zeros
		gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntNE, result, gen_i64(g, 0), ""),
			    SP_RT_READ_FAULT, e->place, addr);
	is_read = gen_is_zero(g, result);
	result = gen_load_sized(g, buffer, e->size, e->is_signed);
	if (e->b && e->b->value)
		result = LLVMBuildSelect(g->b, is_read, result, gen_i64(g, e->b->value), "");
	gen_release(g, mark);
	return result;
}

static LLVMValueRef add_to_global(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef delta = gen_long(g, e->a);
	LLVMValueRef ptr = gen_data(g, g->plan->globals[e->global]);
	LLVMValueRef old = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, ptr, delta,
					      LLVMAtomicOrderingMonotonic, false);

	return e->want == IR_WANT_NEW ? LLVMBuildAdd(g->b, old, delta, "") : old;
}

// ---- builtins -----------------------------------------------------------------------------------

static LLVMValueRef half(struct gen *g, unsigned helper, bool high)
{
	LLVMValueRef both = gen_call_pure(g, helper);

	return high ? LLVMBuildLShr(g->b, both, gen_i64(g, 32), "")
		    : LLVMBuildAnd(g->b, both, gen_i64(g, UINT32_MAX), "");
}

// randint(n): 0 when n is not positive.
static LLVMValueRef random_below(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef limit = gen_long(g, e->args[0]);
	LLVMValueRef number = gen_extend(g, gen_call(g, GEN_PRANDOM, 0), 32, false), ok;

	if (!LLVMIsAConstantInt(limit) || LLVMConstIntGetSExtValue(limit) > INT64_C(1) << 32) {
		number = LLVMBuildShl(g->b, number, gen_i64(g, 32), "");
		number = LLVMBuildOr(g->b, number,
				     gen_extend(g, gen_call(g, GEN_PRANDOM, 0), 32, false), "");
	}
	ok = LLVMBuildICmp(g->b, LLVMIntSGT, limit, gen_i64(g, 0), "");
	limit = LLVMBuildSelect(g->b, ok, limit, gen_i64(g, 1), "");
	return LLVMBuildURem(g->b, number, limit, "");
}

static LLVMValueRef cpu(struct gen *g, const struct ir_expr *e)
{
	(void)e;
	return gen_call(g, GEN_CPU, 0);
}

static LLVMValueRef ktime(struct gen *g, const struct ir_expr *e)
{
	(void)e;
	return gen_call(g, GEN_KTIME_NS, 0);
}

static LLVMValueRef jiffies(struct gen *g, const struct ir_expr *e)
{
	(void)e;
	return gen_call(g, GEN_JIFFIES, 0);
}

// Two numbers of 32 bits come at once.
static LLVMValueRef task_id(struct gen *g, const struct ir_expr *e)
{
	bool is_user = e->builtin == BUILTIN_UID || e->builtin == BUILTIN_GID;

	if (g->fn->prog->kind == SP_PROG_NETFILTER && e->n_args)
		return g->engine->builtins[BUILTIN_PPID](g, e);
	return half(g, is_user ? GEN_UID_GID : GEN_PID_TGID, e->builtin == BUILTIN_PID || e->builtin == BUILTIN_GID);
}

// In the kernel a stack is the current process's.
static LLVMValueRef stack_owner(struct gen *g, const struct ir_expr *e)
{
	(void)e;
	return half(g, GEN_PID_TGID, true);
}

static LLVMValueRef send_signal(struct gen *g, const struct ir_expr *e)
{
	return gen_call(g, GEN_SEND_SIGNAL_THREAD, 1, gen_extend(g, gen_long(g, e->args[0]), 32, false));
}

// Those that give a number and that both engines make alike; gen_text_fn.c has those that give text.
static LLVMValueRef (*const builtins[BUILTIN_COUNT])(struct gen *, const struct ir_expr *) = {
	[BUILTIN_CPU] = cpu,
	[BUILTIN_GID] = task_id,
	[BUILTIN_JIFFIES] = jiffies,
	[BUILTIN_KTIME_GET_NS] = ktime,
	[BUILTIN_NGROUPS] = gen_regex_groups,
	[BUILTIN_PID] = task_id,
	[BUILTIN_RAISE] = send_signal,
	[BUILTIN_RANDINT] = random_below,
	[BUILTIN_STACK] = gen_symbols_frame,
	[BUILTIN_STRING_BYTE] = gen_text_fn_byte,
	[BUILTIN_STRPOS] = gen_text_fn_strpos,
	[BUILTIN_STRTOL] = gen_text_fn_strtol,
	[BUILTIN_TID] = task_id,
	[BUILTIN_UID] = task_id,
	[BUILTIN_USTACK] = gen_symbols_frame,
	[BUILTIN_USTACK_OWNER] = stack_owner,
};

static LLVMValueRef builtin(struct gen *g, const struct ir_expr *e)
{
	if (g->engine->builtins[e->builtin])
		return g->engine->builtins[e->builtin](g, e);
	if (builtins[e->builtin])
		return builtins[e->builtin](g, e);
	gen_bug(g, "a builtin that has no value of its own");
	return gen_i64(g, 0);
}

// ---- conditions ---------------------------------------------------------------------------------

// An i1, NULL when the operation is not a comparison.
static LLVMValueRef comparison(struct gen *g, const struct ir_expr *e)
{
	LLVMIntPredicate predicate;
	LLVMValueRef a;

	if (e->op == IR_EQ)
		predicate = LLVMIntEQ;
	else if (e->op == IR_NE)
		predicate = LLVMIntNE;
	else if (e->op == IR_LT)
		predicate = LLVMIntSLT;
	else if (e->op == IR_LE)
		predicate = LLVMIntSLE;
	else if (e->op == IR_GT)
		predicate = LLVMIntSGT;
	else if (e->op == IR_GE)
		predicate = LLVMIntSGE;
	else
		return NULL;
	if (e->a->type == IR_STR)
		return gen_str_compare(g, e);
	a = gen_long(g, e->a);
	return LLVMBuildICmp(g->b, predicate, a, gen_long(g, e->b), "");
}

void gen_condition(struct gen *g, const struct ir_expr *e, LLVMBasicBlockRef then,
		   LLVMBasicBlockRef otherwise)
{
	LLVMBasicBlockRef second;
	LLVMValueRef element, cond;

	if (e->op == IR_LAND || e->op == IR_LOR) {
		second = gen_block(g);
		gen_condition(g, e->a, e->op == IR_LAND ? second : then,
			      e->op == IR_LAND ? otherwise : second);
		gen_enter(g, second);
		gen_condition(g, e->b, then, otherwise);
		return;
	}
	if (e->op == IR_LNOT && e->a->type != IR_STR) {
		gen_condition(g, e->a, otherwise, then);
		return;
	}
	if (e->type == IR_STR) {
		gen_branch(g, gen_str_is_empty(g, e), otherwise, then);
		return;
	}
	element = e->op == IR_MAP_HAS && g->engine->map->kept ? g->engine->map->kept(g, e) : NULL;
	if (element) {
		gen_branch(g, gen_is_zero(g, element), otherwise, then);
		return;
	}
	cond = comparison(g, e);
	if (!cond)
		cond = LLVMBuildICmp(g->b, LLVMIntNE, gen_long(g, e), gen_i64(g, 0), "");
	gen_branch(g, cond, then, otherwise);
}

LLVMValueRef gen_choose(struct gen *g, const struct ir_expr *cond, gen_choice_fn value, const void *ctx)
{
	LLVMBasicBlockRef blocks[2] = { gen_block(g), gen_block(g) }, join = gen_block(g);
	LLVMValueRef values[2], phi;

	gen_condition(g, cond, blocks[0], blocks[1]);
	for (int i = 0; i < 2; i++) {
		gen_enter(g, blocks[i]);
		values[i] = value(g, ctx, i);
		blocks[i] = LLVMGetInsertBlock(g->b);
		gen_goto(g, join);
	}
	gen_enter(g, join);
	phi = LLVMBuildPhi(g->b, g->i64, "");
	LLVMAddIncoming(phi, values, blocks, 2);
	return phi;
}

static LLVMValueRef long_of(struct gen *g, const void *ctx, int which)
{
	const struct ir_expr *const *of = ctx;

	return of[which] ? gen_long(g, of[which]) : gen_i64(g, which == 0);
}

// `e` is the condition of two values; those of NULL are 1 and 0.
static LLVMValueRef choose(struct gen *g, const struct ir_expr *e, const struct ir_expr *a, const struct ir_expr *b)
{
	const struct ir_expr *of[2] = { a, b };

	return gen_choose(g, e, long_of, of);
}

// ---- all ----------------------------------------------------------------------------------------

static LLVMValueRef element(struct gen *g, const struct ir_expr *e)
{
	const struct gen_engine_map *map = g->engine->map;

	return (e->op == IR_MAP_GET ? map->get : e->op == IR_MAP_HAS ? map->has : e->op == IR_MAP_ADD ? map->add : map->stat_get)(g, e);
}

LLVMValueRef gen_long(struct gen *g, const struct ir_expr *e)
{
	if (e->place != IR_NO_PLACE)
		gen_debug_place(g->debug, e->place);
	switch (e->op) {
	case IR_CONST:
		return gen_i64(g, e->value);
	case IR_LOCAL: // a value that LLVM does not know again is not spilled to the stack
		return (g->fn->plan->is_stackless ? gen_load_volatile : gen_load)(g, g->frame->locals[e->local]);
	case IR_GLOBAL:
		return gen_load(g, gen_data(g, g->plan->globals[e->global]));
	case IR_FIXUP: // the clock may be set at any time: its offset is no constant
		return gen_load_volatile(g, g->unit->fixups.v[e->fixup].kind == SP_FIX_WALL_OFFSET ?
						    gen_data(g, offsetof(struct sp_control, wall_offset)) : gen_fixup(g, e->fixup));
	case IR_CTX:
		return context(g, e);
	case IR_REG:
		return g->engine->reg(g, (uint32_t)e->offset, e->size);
	case IR_NEG: case IR_NOT:
		return (e->op == IR_NEG ? LLVMBuildNeg : LLVMBuildNot)(g->b, gen_long(g, e->a), "");
	case IR_LNOT:
		return gen_bool(g, e->a->type == IR_STR ? gen_str_is_empty(g, e->a) : gen_is_zero(g, gen_long(g, e->a)));
	case IR_ADD: case IR_SUB: case IR_MUL: case IR_DIV: case IR_MOD: case IR_UDIV: case IR_UMOD: case IR_AND:
	case IR_OR: case IR_XOR: case IR_SHL: case IR_SHR: case IR_USHR:
		return arithmetic(g, e);
	case IR_EQ: case IR_NE: case IR_LT: case IR_LE: case IR_GT: case IR_GE:
		return gen_bool(g, comparison(g, e));
	case IR_LAND: case IR_LOR:
		return choose(g, e, NULL, NULL);
	case IR_COND:
		return choose(g, e->a, e->b, e->c);
	case IR_SEXT: case IR_ZEXT:
		return gen_extend(g, gen_long(g, e->a), (unsigned)e->bits, e->op == IR_SEXT);
	case IR_LOAD:
		return load(g, e);
	case IR_MATCH:
		return gen_regex_match(g, e);
	case IR_STRLEN:
		return gen_str_length(g, e->a);
	case IR_MAP_GET: case IR_MAP_HAS: case IR_MAP_ADD: case IR_STAT_GET:
		return element(g, e);
	case IR_GLOBAL_ADD:
		return add_to_global(g, e);
	case IR_CALL:
		return gen_fn_call(g, e, NULL);
	case IR_BUILTIN:
		return builtin(g, e);
	case IR_EMBED:
		return gen_embed_call(g, e);
	case IR_SEQ:
		gen_stmts(g, e->stmts);
		return gen_long(g, e->a);
	case IR_LITERAL: case IR_LOADSTR: case IR_LOADMEM: case IR_CAPTURE: case IR_CONCAT: case IR_SITE:
	case IR_SYMBOLS: case IR_SPRINTF: case IR_STAT_TEXT:
		break;
	}
	gen_bug(g, "a string where a number is wanted");
	return gen_i64(g, 0);
}

void gen_effect(struct gen *g, const struct ir_expr *e)
{
	if (e->op == IR_SEQ && (e->type != IR_LONG || !e->a)) {
		gen_stmts(g, e->stmts);
		if (e->a)
			gen_effect(g, e->a);
	} else if (e->op == IR_CALL) {
		struct gen_str result = { gen_slot(g, gen_plan(g, e)->result), e->cap };

		gen_fn_call(g, e, e->type == IR_STR && result.ptr ? &result : NULL);
	} else if (e->type == IR_STR) {
		gen_str_address(g, e);
	} else {
		gen_long(g, e);
	}
}
