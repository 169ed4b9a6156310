// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_str.h"

#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/core/gen_read.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/text/gen_print.h"
#include "compiler/gen/text/gen_text_fn.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/gen/value/gen_expr.h"
#include "runtime/base/cleanup.h"

#define MAX_UNROLLED 128 // bytes of a literal that are written or compared without a loop
#define COMM_SIZE 16

void gen_str_copy(struct gen *g, struct gen_str dst, struct gen_str src, bool padded)
{
	uint32_t size = SP_MIN(dst.cap, src.cap);

	if (dst.ptr == src.ptr)
		return;
	if (dst.cap > g->engine->text->most_in_place) {
		g->engine->text->copy(g, dst, src);
		return;
	}
	gen_words_copy(g, dst.ptr, src.ptr, size, padded);
	if (src.cap > dst.cap)
		gen_store_sized(g, gen_i64(g, 0), gen_at(g, dst.ptr, dst.cap - 1), 1);
	else if (padded && dst.cap > size)
		gen_words_zero(g, gen_at(g, dst.ptr, size), dst.cap - size);
}

void gen_str_copy_all(struct gen *g, struct gen_str dst, struct gen_str src)
{
	gen_words_copy(g, dst.ptr, src.ptr, SP_MIN(dst.cap, src.cap), true);
}

static struct gen_str constant_text(struct gen *g, const char *text, uint32_t len)
{
	sp_cleanup_free char *bytes = sp_calloc(len + 1, 1);

	memcpy(bytes, text, len);
	return (struct gen_str){ gen_constant(g, bytes, len + 1), SP_ALIGN_UP(len + 1, 8) };
}

void gen_str_literal(struct gen *g, struct gen_str dst, const char *text, uint32_t len, bool padded)
{
	uint32_t size;

	len = SP_MIN(len, dst.cap - 1);
	size = SP_ALIGN_UP(len + 1, 8);
	if (size > SP_MIN(g->engine->text->most_in_place, (uint32_t)MAX_UNROLLED)) {
		gen_str_copy(g, dst, constant_text(g, text, len), padded);
		return;
	}
	for (uint32_t i = 0; i < size; i += 8) {
		uint64_t word = 0;

		memcpy(&word, text + i, SP_MIN(len - i, 8u));
		gen_store(g, gen_i64(g, (int64_t)word), gen_at(g, dst.ptr, i));
	}
	if (padded)
		gen_words_zero(g, gen_at(g, dst.ptr, size), dst.cap - size);
}

// ---- values -------------------------------------------------------------------------------------

static bool is_in_memory(const struct ir_expr *e)
{
	return e->op == IR_LITERAL || e->op == IR_LOCAL || e->op == IR_GLOBAL;
}

static struct gen_str variable(struct gen *g, const struct ir_expr *e)
{
	const struct ir_global *global;

	if (e->op == IR_LITERAL)
		return constant_text(g, e->text, e->len);
	if (e->op == IR_LOCAL)
		return (struct gen_str){ g->frame->locals[e->local], g->frame->local_caps[e->local] };
	global = &g->unit->globals.v[e->global];
	return (struct gen_str){ gen_data(g, g->plan->globals[e->global]), global->cap };
}

// As many bytes as the script wants, and the NUL.
static LLVMValueRef string_size(struct gen *g, LLVMValueRef n, uint32_t most)
{
	LLVMValueRef none = gen_i64(g, 0), last = gen_i64(g, most - 1);

	n = gen_keep(g, n);
	n = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSGT, n, none, ""), n, none, "");
	n = gen_keep(g, LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULT, n, last, ""), n, last, ""));
	return LLVMBuildAdd(g->b, n, gen_i64(g, 1), "");
}

// It takes all of its place: is there more of it, where its NUL would have been?
static void count_if_read_cut(struct gen *g, const struct ir_expr *e, struct gen_str dst, LLVMValueRef addr,
			      LLVMValueRef result)
{
	LLVMBasicBlockRef full = gen_block(g), done = gen_block(g);
	uint32_t mark = gen_mark(g);
	LLVMValueRef next;

	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, result, gen_i64(g, dst.cap), ""), full, done);
	gen_enter(g, full);
	next = gen_temp(g, 8);
	gen_store(g, gen_i64(g, 0), next);
	addr = LLVMBuildAdd(g->b, addr, gen_i64(g, (int64_t)dst.cap - 1), "");
	gen_call(g, e->space == IR_SPACE_USER ? GEN_READ_USER : GEN_READ_KERNEL, 3, next, gen_i64(g, 1), addr);
	gen_fail_count_if(g, LLVMBuildNot(g->b, gen_is_zero(g, gen_load(g, next)), ""), SP_LOSS_CUT);
	gen_goto(g, done);
	gen_enter(g, done);
	gen_release(g, mark);
}

// Asked for so many bytes, a text need not end within them, and what follows may not be there: then they are read without it. The read
// that failed has left zeros, the NUL among them.
static LLVMValueRef read_unended(struct gen *g, const struct gen_read *read, LLVMValueRef first)
{
	LLVMBasicBlockRef again = gen_block(g), done = gen_block(g);
	LLVMValueRef result = gen_variable(g), is_fault = LLVMBuildICmp(g->b, LLVMIntSLT, first, gen_i64(g, 0), "");
	struct gen_read bytes = *read;

	gen_store(g, first, result);
	gen_branch(g, LLVMBuildAnd(g->b, is_fault, LLVMBuildICmp(g->b, LLVMIntUGT, read->size, gen_i64(g, 1), ""), ""), again, done);
	gen_enter(g, again);
	bytes.is_text = false;
	bytes.size = LLVMBuildSub(g->b, read->size, gen_i64(g, 1), "");
	gen_store(g, gen_read(g, &bytes), result);
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, result);
}

#define FIRST_PAGE 4096 // where a program has nothing: NULL is no loss

static void load_string(struct gen *g, const struct ir_expr *e, LLVMValueRef addr, struct gen_str dst, bool padded)
{
	uint32_t size = e->bytes ? SP_MIN((uint32_t)e->bytes, dst.cap) : dst.cap;
	LLVMValueRef most = gen_i64(g, size), result, is_fault;
	LLVMBasicBlockRef fault, ok;
	struct gen_read read;

	if (e->c)
		most = string_size(g, gen_long(g, e->c), size);
	if (padded)
		gen_words_zero(g, dst.ptr, dst.cap);
	read = (struct gen_read){ e->space, true, dst.ptr, most, addr, size };
	result = gen_read(g, &read);
	if (e->c)
		result = read_unended(g, &read, result);
	if (!e->bytes && !e->c)
		count_if_read_cut(g, e, dst, addr, result);
	is_fault = LLVMBuildICmp(g->b, LLVMIntSLT, result, gen_i64(g, 0), "");
	if (!e->b) {
		gen_fail_if(g, is_fault, SP_RT_READ_FAULT, e->place, addr);
		return;
	}
	fault = gen_block(g);
	ok = gen_block(g);
	gen_branch(g, is_fault, fault, ok);
	gen_enter(g, fault);
	if (e->space == IR_SPACE_USER && e->b->op == IR_LITERAL && !e->b->len)
		gen_fail_count_if(g, LLVMBuildICmp(g->b, LLVMIntUGE, addr, gen_i64(g, FIRST_PAGE), ""), SP_LOSS_ABSENT);
	gen_str_into(g, e->b, dst, padded);
	gen_goto(g, ok);
	gen_enter(g, ok);
}

// Memory as it is. What is not read stays 0.
static void load_memory(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	LLVMValueRef addr = gen_long(g, e->a), size = gen_i64(g, e->bytes), result = gen_variable(g), n;
	LLVMBasicBlockRef user = gen_block(g), kernel = gen_block(g), done = gen_block(g);

	if (e->b) { // less than 1 byte is none
		n = gen_keep(g, gen_long(g, e->b));
		n = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, n, gen_i64(g, 0), ""), gen_i64(g, 0), n, "");
		n = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULT, n, size, ""), n, size, "");
		size = gen_keep(g, LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULE, n, size, ""), n, size, ""));
	}
	gen_words_zero(g, dst.ptr, dst.cap);
	if (e->space != IR_SPACE_KERNEL)
		gen_goto(g, e->space == IR_SPACE_USER ? user : kernel);
	else
		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntSLT, addr, gen_i64(g, 0), ""), kernel, user);
	gen_enter(g, kernel);
	if (e->space != IR_SPACE_USER)
		gen_store(g, gen_read(g, &(struct gen_read){ IR_SPACE_KERNEL, false, dst.ptr, size, addr, (uint32_t)e->bytes }), result);
	gen_goto(g, done);
	gen_enter(g, user);
	gen_store(g, gen_read(g, &(struct gen_read){ IR_SPACE_USER, false, dst.ptr, size, addr, (uint32_t)e->bytes }), result);
	gen_goto(g, done);
	gen_enter(g, done);
	gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntNE, gen_load(g, result), gen_i64(g, 0), ""), SP_RT_READ_FAULT,
		    e->place, addr);
}

// struct sp_captured. What is not read stays as it is: nobody looks at it.
static void capture(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	LLVMValueRef addr = gen_long(g, e->a), bytes = gen_at(g, dst.ptr, offsetof(struct sp_captured, bytes));
	LLVMValueRef result = gen_at(g, dst.ptr, offsetof(struct sp_captured, result)), size = gen_i64(g, e->bytes);
	LLVMBasicBlockRef user = gen_block(g), kernel = gen_block(g), done = gen_block(g);
	LLVMValueRef length = e->b ? gen_long(g, e->b) : NULL;
	struct gen_read read = { .is_text = e->is_text, .to = bytes, .size = size, .address = addr, .most = (uint32_t)e->bytes };
	bool is_kernel = e->space == IR_SPACE_KERNEL;

	gen_store(g, addr, gen_at(g, dst.ptr, offsetof(struct sp_captured, address)));
	if (length) {
		LLVMBasicBlockRef some = gen_block(g);

		// An empty text may be nowhere.
		gen_store(g, LLVMConstInt(g->i8, 0, 0), bytes);
		gen_store(g, gen_i64(g, 1), result);
		gen_branch(g, gen_is_zero(g, length), done, some);
		gen_enter(g, some);
		read.size = string_size(g, length, read.most);
	}
	if (is_kernel && e->is_text)
		gen_branch(g, LLVMBuildICmp(g->b, LLVMIntSLT, addr, gen_i64(g, 0), ""), kernel, user);
	else
		gen_goto(g, is_kernel ? kernel : user);
	gen_enter(g, kernel);
	read.space = IR_SPACE_KERNEL;
	if (is_kernel)
		gen_store(g, gen_read(g, &read), result);
	gen_goto(g, done);
	gen_enter(g, user);
	read.space = IR_SPACE_USER;
	if (!is_kernel || e->is_text)
		gen_store(g, gen_read(g, &read), result);
	gen_goto(g, done);
	gen_enter(g, done);
}

static void execname(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded)
{
	struct gen_str name = dst;
	LLVMValueRef task;
	uint32_t mark = gen_mark(g);

	if (dst.cap < COMM_SIZE)
		name = (struct gen_str){ gen_temp(g, COMM_SIZE), COMM_SIZE };
	// Kernels before 5.17 leave what is behind the NUL.
	gen_words_zero(g, name.ptr, padded ? name.cap : COMM_SIZE);
	if (g->fn->prog->kind == SP_PROG_NETFILTER && e->n_args) {
		task = gen_call(g, GEN_TASK, 0);
		gen_call(g, GEN_READ_KERNEL, 3, name.ptr, gen_i64(g, COMM_SIZE), LLVMBuildAdd(g->b, task, gen_long(g, e->args[0]), ""));
	} else {
		gen_call(g, GEN_COMM, 2, name.ptr, gen_i64(g, COMM_SIZE));
	}
	if (name.ptr != dst.ptr)
		gen_str_copy(g, dst, name, padded);
	gen_release(g, mark);
}

// An operand of CONCAT that has no slot is put straight into the result's place when it is the first.
static void concat(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	struct gen_str a = dst, b;
	uint32_t mark = gen_mark(g);

	if (is_in_memory(e->a) || gen_plan(g, e->a)->result.kind != PLAN_SLOT_NONE)
		a = gen_str_address(g, e->a);
	else
		gen_str_into(g, e->a, dst, true);
	b = gen_str_address(g, e->b);
	g->engine->text->concat(g, e, dst, a, b);
	gen_release(g, mark);
}

static void choose(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded)
{
	LLVMBasicBlockRef then = gen_block(g), otherwise = gen_block(g), join = gen_block(g);

	gen_condition(g, e->a, then, otherwise);
	gen_enter(g, then);
	gen_str_into(g, e->b, dst, padded);
	gen_goto(g, join);
	gen_enter(g, otherwise);
	gen_str_into(g, e->c, dst, padded);
	gen_goto(g, join);
	gen_enter(g, join);
}

static void symbols(struct gen *g, const struct ir_expr *e, struct gen_str dst, uint32_t zeros)
{
	uint32_t mark = gen_mark(g);

	if (e->place != IR_NO_PLACE)
		gen_debug_place(g->debug, e->place);
	g->engine->text->symbols(g, e, dst, zeros);
	gen_release(g, mark);
}

// The script's own texts may be longer than its strings are.
static void literal(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded)
{
	if (e->len >= dst.cap)
		gen_fail_count(g, SP_LOSS_CUT);
	gen_str_literal(g, dst, e->text, e->len, padded);
}

static void compute(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded)
{
	if (e->op == IR_LITERAL)
		literal(g, e, dst, padded);
	else if (e->op == IR_LOCAL || e->op == IR_GLOBAL)
		gen_str_copy(g, dst, variable(g, e), padded);
	else if (e->op == IR_LOADSTR)
		load_string(g, e, gen_long(g, e->a), dst, padded);
	else if (e->op == IR_LOADMEM)
		load_memory(g, e, dst);
	else if (e->op == IR_CAPTURE)
		capture(g, e, dst);
	else if (e->op == IR_CONCAT)
		concat(g, e, dst);
	else if (e->op == IR_MAP_GET)
		g->engine->map->get_str(g, e, dst);
	else if (e->op == IR_STAT_TEXT)
		g->engine->map->stat_text(g, e, dst);
	else if (e->op == IR_SPRINTF)
		gen_print_sprintf(g, e, dst);
	else if (e->op == IR_SITE)
		g->engine->text->site(g, e, dst, padded);
	else if (e->op == IR_SYMBOLS)
		symbols(g, e, dst, dst.cap);
	else if (e->op == IR_COND)
		choose(g, e, dst, padded);
	else if (e->op == IR_CALL)
		gen_fn_call(g, e, &dst);
	else if (e->op == IR_BUILTIN && e->builtin == BUILTIN_EXECNAME)
		execname(g, e, dst, padded);
	else if (e->op == IR_BUILTIN)
		gen_text_fn_string(g, e, dst);
	else
		gen_bug(g, "a number where a string is wanted");
}

static bool is_computed(const struct gen *g, const struct ir_expr *e)
{
	return !is_in_memory(e) && gen_plan(g, e)->result.kind == PLAN_SLOT_NONE;
}

void gen_str_into(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded)
{
	struct gen_str place = dst;

	if (e->place != IR_NO_PLACE)
		gen_debug_place(g->debug, e->place);
	if (e->op == IR_SEQ) {
		gen_stmts(g, e->stmts);
		gen_str_into(g, e->a, dst, padded);
		return;
	}
	if (!is_in_memory(e) && !is_computed(g, e)) {
		gen_str_copy(g, dst, gen_str_address(g, e), padded);
		return;
	}
	// What is computed here is cut where the expression says; what is copied, by the place.
	if (!is_in_memory(e))
		place.cap = SP_MIN(dst.cap, e->cap);
	compute(g, e, place, padded);
	if (padded && place.cap < dst.cap)
		gen_words_zero(g, gen_at(g, dst.ptr, place.cap), dst.cap - place.cap);
}

// A text that is longer, or cannot be read, is read once more, at the same address: computing that may have effects.
static void load_short(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	LLVMBasicBlockRef longer = gen_block(g), done = gen_block(g);
	const uint32_t most = sp_short_text(dst.cap), cap = SP_MIN(dst.cap, e->cap);
	LLVMValueRef size = gen_i64(g, most), addr = gen_long(g, e->a), result;

	gen_words_zero(g, dst.ptr, most);
	result = gen_read(g, &(struct gen_read){ e->space, true, dst.ptr, size, addr, most });
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, result, size, ""), done, longer);
	gen_enter(g, longer);
	if (e->place != IR_NO_PLACE)
		gen_debug_place(g->debug, e->place);
	load_string(g, e, addr, (struct gen_str){ dst.ptr, cap }, true);
	if (cap < dst.cap)
		gen_words_zero(g, gen_at(g, dst.ptr, cap), dst.cap - cap);
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_str_into_short(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	const uint32_t most = sp_short_text(dst.cap);
	LLVMBasicBlockRef longer, done;
	struct gen_str from;

	if (e->op == IR_SEQ) {
		gen_stmts(g, e->stmts);
		gen_str_into_short(g, e->a, dst);
		return;
	}
	if (e->op == IR_LOADSTR && is_computed(g, e) && !e->bytes && !e->c && e->cap > most) {
		load_short(g, e, dst);
		return;
	}
	if (e->op == IR_SYMBOLS && is_computed(g, e) && e->cap >= dst.cap) {
		symbols(g, e, dst, most);
		return;
	}
	if (is_computed(g, e)) {
		gen_str_into(g, e, dst, true);
		return;
	}
	from = gen_str_address(g, e);
	if (from.cap <= most) {
		gen_str_copy(g, (struct gen_str){ dst.ptr, most }, from, true);
		return;
	}
	longer = gen_block(g);
	done = gen_block(g);
	gen_words_copy(g, dst.ptr, from.ptr, most, true);
	gen_branch(g, gen_is_zero(g, gen_load_sized(g, gen_at(g, from.ptr, most - 1), 1, false)), done, longer);
	gen_enter(g, longer);
	gen_str_copy(g, (struct gen_str){ gen_at(g, dst.ptr, most), dst.cap - most },
		     (struct gen_str){ gen_at(g, from.ptr, most), from.cap - most }, true);
	gen_goto(g, done);
	gen_enter(g, done);
}

struct gen_str gen_str_address(struct gen *g, const struct ir_expr *e)
{
	struct gen_str place;

	if (e->op == IR_SEQ) {
		gen_stmts(g, e->stmts);
		return gen_str_address(g, e->a);
	}
	if (is_in_memory(e))
		return variable(g, e);
	place = (struct gen_str){ gen_slot(g, gen_plan(g, e)->result), e->cap };
	if (!place.ptr)
		place.ptr = gen_temp(g, e->cap);
	compute(g, e, place, true);
	return place;
}

// ---- comparisons --------------------------------------------------------------------------------

// An i1: are the words of the literal there? `s` has zeros behind its NUL.
static LLVMValueRef equals_literal(struct gen *g, struct gen_str s, const char *text, uint32_t len)
{
	LLVMBasicBlockRef no = gen_block(g), next, blocks[2];
	LLVMValueRef phi, same = NULL, values[2];

	for (uint32_t i = 0; i <= len; i += 8) {
		uint64_t word = 0;

		if (same) {
			next = gen_block(g);
			gen_branch(g, same, next, no);
			gen_enter(g, next);
		}
		memcpy(&word, text + i, SP_MIN(len - i, 8u));
		same = LLVMBuildICmp(g->b, LLVMIntEQ, gen_load(g, gen_at(g, s.ptr, i)),
				     gen_i64(g, (int64_t)word), "");
	}
	values[0] = same;
	values[1] = LLVMConstInt(g->i1, 0, false);
	blocks[0] = LLVMGetInsertBlock(g->b);
	blocks[1] = no;
	next = gen_block(g);
	gen_goto(g, next);
	gen_enter(g, no);
	gen_goto(g, next);
	gen_enter(g, next);
	phi = LLVMBuildPhi(g->b, g->i1, "");
	LLVMAddIncoming(phi, values, blocks, 2);
	return phi;
}

LLVMIntPredicate gen_str_predicate(enum ir_expr_op op, bool is_signed)
{
	if (op == IR_EQ)
		return LLVMIntEQ;
	if (op == IR_NE)
		return LLVMIntNE;
	if (op == IR_LT)
		return is_signed ? LLVMIntSLT : LLVMIntULT;
	if (op == IR_LE)
		return is_signed ? LLVMIntSLE : LLVMIntULE;
	if (op == IR_GT)
		return is_signed ? LLVMIntSGT : LLVMIntUGT;
	return is_signed ? LLVMIntSGE : LLVMIntUGE;
}

LLVMValueRef gen_str_order(struct gen *g, enum ir_expr_op op, struct gen_str a, struct gen_str b)
{
	return g->engine->text->order(g, op, a, b);
}

LLVMValueRef gen_str_compare(struct gen *g, const struct ir_expr *e)
{
	const struct ir_expr *literal = e->a->op == IR_LITERAL	 ? e->a
					: e->b->op == IR_LITERAL ? e->b
								 : NULL;
	bool is_eq = e->op == IR_EQ || e->op == IR_NE;
	struct gen_str a = gen_str_address(g, e->a), b = gen_str_address(g, e->b);
	LLVMValueRef words[2];

	if (literal && is_eq) {
		struct gen_str other = literal == e->a ? b : a;
		uint32_t len = (uint32_t)strnlen(literal->text, literal->len);

		if (len >= other.cap)
			return LLVMConstInt(g->i1, e->op == IR_NE, false);
		if (len < MAX_UNROLLED / 2) {
			words[0] = equals_literal(g, other, literal->text, len);
			return e->op == IR_EQ ? words[0] : LLVMBuildNot(g->b, words[0], "");
		}
	}
	return gen_str_order(g, e->op, a, b);
}

LLVMValueRef gen_str_length(struct gen *g, const struct ir_expr *e)
{
	return g->engine->text->length(g, gen_str_address(g, e));
}

LLVMValueRef gen_str_is_empty(struct gen *g, const struct ir_expr *e)
{
	struct gen_str s = gen_str_address(g, e);

	return gen_is_zero(g, gen_load_sized(g, s.ptr, 1, false));
}
