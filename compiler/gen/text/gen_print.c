// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/text/gen_print.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/text/gen_format.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_symbols.h"
#include "compiler/gen/text/gen_text.h"
#include "compiler/gen/value/gen_expr.h"
#include "runtime/abi/event.h"
#include "runtime/base/cleanup.h"

#define HEX_DIGITS 16

// ---- records ------------------------------------------------------------------------------------

// A number waits at `slots` for the others.
static struct gen_format_arg number(struct gen *g, const struct ir_expr *e, struct plan_slot slots, unsigned index)
{
	LLVMValueRef value = gen_long(g, e);
	struct gen_format_arg arg = { .number = value };

	if (slots.kind == PLAN_SLOT_NONE || LLVMIsConstant(value))
		return arg;
	arg.kept = gen_at(g, gen_slot(g, slots), index * sizeof(uint64_t));
	gen_store(g, value, arg.kept);
	return arg;
}

// As plan_slot.c places them (place_emit()): a sequence has effects, and its value the slot.
static bool has_turn(struct gen *g, const struct ir_expr *e)
{
	return e->op == IR_SEQ || gen_plan(g, e)->result.kind != PLAN_SLOT_NONE;
}

// A text whose ptr is NULL is computed in the record. Numbers, and strings that have a turn, come before the record is begun:
// they may send records or change what others read.
static void evaluate(struct gen *g, struct ir_expr **args, const struct ir_format *format, struct plan_slot slots, bool all,
		     struct gen_format_arg *values)
{
	for (unsigned i = 0; i < format->n_args; i++) {
		const struct ir_expr *e = args[i];

		values[i] = (struct gen_format_arg){ 0 };
		if (format->args[i].type != IR_STR)
			values[i] = number(g, e, slots, i);
		else if (e->is_late)
			values[i].number = e->a ? gen_long(g, e->a) : NULL;
		else if (all || has_turn(g, e))
			values[i].text = gen_str_address(g, e);
	}
}

// Not just up to the NUL.
static bool is_bytes(const struct ir_expr *e)
{
	return e->op == IR_LOADMEM || e->op == IR_CAPTURE || (e->op == IR_COND && is_bytes(e->b));
}

// Of a program with several sites in the kernel; outside, the machine does it.
static void fill_site(struct gen *g, const struct ir_format *format, LLVMValueRef record)
{
	uint32_t at = format->record_size - (uint32_t)sizeof(struct sp_event_who) + (uint32_t)offsetof(struct sp_event_who, site);

	if (format->tells_who && g->fn->site)
		gen_store(g, g->fn->site, gen_at(g, record, at));
}

static void fill(struct gen *g, struct ir_expr **args, const struct ir_format *format,
		 const struct gen_format_arg *values, LLVMValueRef record)
{
	for (unsigned i = 0; i < format->n_args; i++) {
		const struct ir_arg *arg = &format->args[i];
		struct gen_str place = { gen_at(g, record, arg->offset), arg->size };

		if (arg->type != IR_STR)
			gen_store(g, gen_format_number(g, &values[i]), place.ptr);
		else if (arg->is_late)
			gen_symbols_fill(g, args[i], values[i].number, place.ptr);
		else if (values[i].text.ptr && is_bytes(args[i]))
			gen_str_copy_all(g, place, values[i].text);
		else if (values[i].text.ptr)
			gen_str_copy(g, place, values[i].text, false);
		else
			gen_str_into(g, args[i], place, false);
	}
	fill_site(g, format, record);
}

// The record of a handler whose rest runs elsewhere tells the site, as that of an error does: the VM fills it in itself.
static void fill_head(struct gen *g, uint32_t format, LLVMValueRef record)
{
	bool is_deferred = g->unit->formats.v[format].kind == SP_FORMAT_DEFERRED;
	LLVMValueRef head = gen_fail_head(g, is_deferred ? SP_EVENT_DEFERRED : SP_EVENT_FORMAT, is_deferred ? 0 : format);

	if (is_deferred && g->fn->is_shared)
		gen_bug(g, "a function that several handlers share goes on elsewhere");
	gen_store(g, gen_fail_stamp(g, head), record);
	if (is_deferred && g->engine->site && (g->fn->site || g->fn->plan->tells_site))
		gen_store_sized(g, g->fn->site ? g->fn->site : g->engine->site(g),
				gen_at(g, record, offsetof(struct sp_event_head, id)), sizeof(uint32_t));
}

// Where a record must be given back, a failure does that first.
static void fill_and_submit(struct gen *g, const struct ir_stmt *s, const struct gen_format_arg *values,
			    LLVMValueRef record)
{
	const struct ir_format *format = &g->unit->formats.v[s->format];
	const struct gen_catch *outer = g->frame->catch;
	struct gen_catch discard = *outer;
	LLVMBasicBlockRef here;

	if (!g->engine->record->discard) {
		fill(g, s->args, format, values, record);
		g->engine->record->submit(g, record, format->record_size);
		return;
	}
	discard.block = gen_block(g);
	g->frame->catch = &discard;
	fill(g, s->args, format, values, record);
	g->frame->catch = outer;
	g->engine->record->submit(g, record, format->record_size);
	if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(discard.block))) {
		LLVMDeleteBasicBlock(discard.block);
		return;
	}
	here = LLVMGetInsertBlock(g->b);
	gen_enter(g, discard.block);
	g->engine->record->discard(g, record);
	gen_goto(g, outer->block);
	LLVMMoveBasicBlockAfter(here, discard.block);
	LLVMPositionBuilderAtEnd(g->b, here);
}

void gen_print_record(struct gen *g, uint32_t id, struct ir_expr **args, const struct gen_format_arg *values,
		      LLVMValueRef record)
{
	fill_head(g, id, record);
	fill(g, args, &g->unit->formats.v[id], values, record);
}

void gen_print_emit(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_format *format = &g->unit->formats.v[s->format];
	struct gen_format_arg *values = sp_arena_array(g->arena, struct gen_format_arg, format->n_args + 1);
	LLVMBasicBlockRef full, done;
	LLVMValueRef record;

	evaluate(g, s->args, format, gen_plan_stmt(g, s)->key, false, values);
	full = gen_block(g);
	record = g->engine->record->reserve(g, format->record_size, gen_plan_stmt(g, s)->value, full);
	fill_head(g, s->format, record);
	fill_and_submit(g, s, values, record);
	gen_fail_go_on(g);
	if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(full))) {
		LLVMDeleteBasicBlock(full);
		return;
	}
	done = gen_block(g);
	gen_goto(g, done);
	gen_enter(g, full);
	gen_fail_count(g, SP_LOSS_DROPPED);
	gen_goto(g, done);
	gen_enter(g, done);
}

// ---- text ---------------------------------------------------------------------------------------

void gen_print_sprintf(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	const struct ir_format *format = &g->unit->formats.v[e->format];
	struct gen_format_arg *values = sp_arena_array(g->arena, struct gen_format_arg, format->n_args + 1);
	uint32_t mark = gen_mark(g);

	evaluate(g, e->args, format, gen_plan(g, e)->key, true, values);
	g->engine->text->sprintf(g, e, values, dst);
	gen_release(g, mark);
}

void gen_print_hex(struct gen *g, struct gen_str dst, const char *before, LLVMValueRef number)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	LLVMValueRef halves[2];
	size_t at = strlen(before);

	sp_buf_puts(&text, before);
	sp_buf_fill(&text, '0', HEX_DIGITS);
	gen_str_literal(g, dst, sp_buf_str(&text), (uint32_t)text.len, true);
	if (at + HEX_DIGITS >= dst.cap)
		return;
	halves[0] = gen_text_hex(g, LLVMBuildLShr(g->b, number, gen_i64(g, 32), ""));
	halves[1] = gen_text_hex(g, LLVMBuildAnd(g->b, number, gen_i64(g, UINT32_MAX), ""));
	for (int i = 0; i < 2; i++) {
		LLVMValueRef store = LLVMBuildStore(g->b, halves[i],
						    gen_at(g, dst.ptr, at + (size_t)i * 8));

		LLVMSetAlignment(store, at % 8 == 0 ? 8 : 1);
	}
}
