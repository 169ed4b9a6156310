// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_text.h"

#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_kernel_symbols.h"
#include "compiler/gen/kernel/gen_once.h"
#include "compiler/gen/text/gen_format.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_text.h"
#include "compiler/gen/text/gen_words.h"

// ---- text ---------------------------------------------------------------------------------------

static void concat(struct gen *g, const struct ir_expr *e, struct gen_str dst, struct gen_str a, struct gen_str b)
{
	struct gen_text t = { .dst = dst, .work = gen_slot(g, gen_plan(g, e)->work) };

	if (a.ptr == dst.ptr) {
		gen_cell_set(g, t.work, GEN_CELL_END, gen_text_length(g, dst, t.work));
	} else {
		t = gen_text_begin(g, dst, t.work);
		gen_text_append(g, &t, a, NULL, NULL);
	}
	gen_text_append(g, &t, b, NULL, NULL);
	gen_text_end(g, &t);
}

static LLVMValueRef order(struct gen *g, enum ir_expr_op op, struct gen_str a, struct gen_str b)
{
	return LLVMBuildICmp(g->b, gen_str_predicate(op, true), gen_words_compare(g, a, b), gen_i64(g, 0), "");
}

static void print(struct gen *g, const struct ir_expr *e, const struct gen_format_arg *values, struct gen_str dst)
{
	gen_format(g, g->unit->formats.v[e->format].text, values, dst, gen_slot(g, gen_plan(g, e)->work));
}

// The texts of all sites of the program, in rows of dst.cap bytes.
static void site(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool padded)
{
	const struct ir_prog *prog = g->fn->prog;
	char *rows;

	rows = sp_arena_alloc(g->arena, (size_t)prog->n_sites * dst.cap);
	for (unsigned i = 0; i < prog->n_sites; i++) {
		const struct ir_site *of = &g->unit->sites.v[prog->first_site + i];
		const char *text = ir_site_text(g->unit, of, (enum sp_site_text)e->what);

		memcpy(rows + (size_t)i * dst.cap, text, SP_MIN(strlen(text), dst.cap - 1));
	}
	if (!g->fn->site) {
		gen_str_literal(g, dst, rows, (uint32_t)strlen(rows), padded);
		return;
	}
	gen_str_copy(g, dst,
		     (struct gen_str){
			     gen_at_index(g, gen_constant(g, rows, prog->n_sites * dst.cap),
					  LLVMBuildMul(g->b, g->fn->site, gen_i64(g, dst.cap), "")),
			     dst.cap },
		     padded);
}

const struct gen_engine_text gen_kernel_text = {
	.most_in_place = UINT32_MAX,
	.concat = concat,
	.order = order,
	.length = gen_words_length,
	.once = gen_once,
	.sprintf = print,
	.site = site,
	.symbols = gen_kernel_symbols,
};

// ---- records ------------------------------------------------------------------------------------

static void send(struct gen *g, LLVMValueRef record, LLVMValueRef size)
{
	gen_call(g, GEN_RING_OUTPUT, 4, gen_kernel_def_events(g), record, size, gen_i64(g, 0));
}

static LLVMValueRef reserve(struct gen *g, uint32_t size, struct plan_slot slot, LLVMBasicBlockRef full)
{
	LLVMBasicBlockRef ok = gen_block(g);
	LLVMValueRef record;

	(void)slot;
	record = gen_call(g, GEN_RING_RESERVE, 3, gen_kernel_def_events(g), gen_i64(g, size), gen_i64(g, 0));
	record = LLVMBuildIntToPtr(g->b, record, g->ptr, "");
	gen_branch(g, gen_is_zero(g, record), full, ok);
	gen_enter(g, ok);
	return record;
}

static void submit(struct gen *g, LLVMValueRef record, uint32_t size)
{
	(void)size;
	gen_call(g, GEN_RING_SUBMIT, 2, record, gen_i64(g, 0));
}

static void discard(struct gen *g, LLVMValueRef record)
{
	gen_call(g, GEN_RING_DISCARD, 2, record, gen_i64(g, 0));
}

const struct gen_engine_record gen_kernel_record = {
	.send = send,
	.reserve = reserve,
	.submit = submit,
	.discard = discard,
};
