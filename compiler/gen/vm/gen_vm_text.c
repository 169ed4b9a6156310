// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/vm/gen_vm_text.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/text/gen_print.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_symbols.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/gen/value/gen_expr.h"
#include "runtime/abi/uservm.h"

#define MOST_IN_PLACE 32 // a call costs more than copying so many bytes

// ---- text ---------------------------------------------------------------------------------------

static void copy(struct gen *g, struct gen_str dst, struct gen_str src)
{
	gen_call(g, SP_VM_STRCPY, 3, dst.ptr, gen_i64(g, dst.cap), src.ptr);
}

static void count_if_cut(struct gen *g, LLVMValueRef len, struct gen_str dst)
{
	gen_fail_count_if(g, LLVMBuildICmp(g->b, LLVMIntUGE, len, gen_i64(g, dst.cap), ""), SP_LOSS_CUT);
}

static void concat(struct gen *g, const struct ir_expr *e, struct gen_str dst, struct gen_str a, struct gen_str b)
{
	LLVMValueRef start = NULL, len;

	(void)e;
	if (a.ptr != dst.ptr && a.cap > dst.cap)
		start = gen_call(g, SP_VM_STRLEN, 1, a.ptr);
	gen_str_copy(g, dst, a, true);
	len = gen_call(g, SP_VM_STRCAT, 3, dst.ptr, gen_i64(g, dst.cap), b.ptr);
	if (start) // what did not fit of the first does not stand in dst
		len = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntUGT, start, len, ""), start, len, "");
	count_if_cut(g, len, dst);
}

static LLVMValueRef order(struct gen *g, enum ir_expr_op op, struct gen_str a, struct gen_str b)
{
	LLVMValueRef sign = gen_call(g, SP_VM_STRCMP, 2, a.ptr, b.ptr);

	return LLVMBuildICmp(g->b, gen_str_predicate(op, true), sign, gen_i64(g, 0), "");
}

static LLVMValueRef length(struct gen *g, struct gen_str s)
{
	return gen_call(g, SP_VM_STRLEN, 1, s.ptr);
}

static void print(struct gen *g, const struct ir_expr *e, const struct gen_format_arg *values, struct gen_str dst)
{
	LLVMValueRef record = gen_temp(g, g->unit->formats.v[e->format].record_size);

	gen_print_record(g, e->format, e->args, values, record);
	count_if_cut(g, gen_call(g, SP_VM_SPRINTF, 4, dst.ptr, gen_i64(g, dst.cap), gen_i64(g, e->format), record), dst);
}

// The machine knows which site it runs for.
static void site(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded)
{
	if (padded)
		gen_words_zero(g, dst.ptr, dst.cap);
	gen_call(g, SP_VM_SITE_TEXT, 3, dst.ptr, gen_i64(g, dst.cap), gen_i64(g, e->what));
}

// There are always zeros up to its capacity.
static void symbols(struct gen *g, const struct ir_expr *e, struct gen_str dst, uint32_t zeros)
{
	uint32_t size = (uint32_t)sizeof(struct sp_symbols) + (e->a ? 1 : SP_SYMBOLS_PLACES) * 8;
	LLVMValueRef address = e->a ? gen_long(g, e->a) : NULL, record = gen_temp(g, size);

	(void)zeros;
	gen_symbols_fill(g, e, address, record);
	count_if_cut(g, gen_call(g, SP_VM_SYMBOLS, 4, dst.ptr, gen_i64(g, dst.cap), record, gen_i64(g, size)), dst);
}

const struct gen_engine_text gen_vm_text = {
	.most_in_place = MOST_IN_PLACE,
	.copy = copy,
	.concat = concat,
	.order = order,
	.length = length,
	.sprintf = print,
	.site = site,
	.symbols = symbols,
};

// ---- records ------------------------------------------------------------------------------------

static void send(struct gen *g, LLVMValueRef record, LLVMValueRef size)
{
	gen_call(g, SP_VM_EMIT, 2, record, size);
}

// In the handler's own memory: there is always room, and nothing to give back.
static LLVMValueRef reserve(struct gen *g, uint32_t size, struct plan_slot slot, LLVMBasicBlockRef full)
{
	LLVMValueRef record = gen_slot(g, slot);

	(void)full;
	return record ? record : gen_temp(g, size);
}

static void submit(struct gen *g, LLVMValueRef record, uint32_t size)
{
	send(g, record, gen_i64(g, size));
}

const struct gen_engine_record gen_vm_record = {
	.send = send,
	.reserve = reserve,
	.submit = submit,
};
