// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_fail.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/text/gen_print.h"
#include "compiler/gen/text/gen_str.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/error_text.h"

// The kernel's verifier wants some bound, also of a script that set none.
#define UNLIMITED_ACTIONS 100000
#define UNLIMITED_CALLS ((1u << 23) - 1) // one below BPF_MAX_LOOPS, so that the round that is too many is made

uint32_t gen_fail_max_action(const struct ir_unit *unit)
{
	uint32_t bound = target_has(&unit->target, SP_FEATURE_BPF_LOOP) ? UNLIMITED_CALLS : UNLIMITED_ACTIONS;

	return unit->max_action ? SP_MIN(unit->max_action, bound) : bound;
}

static LLVMValueRef state_field(struct gen *g, size_t offset)
{
	return gen_at(g, g->fn->state, offset);
}

static struct gen_str state_text(struct gen *g)
{
	return (struct gen_str){ state_field(g, offsetof(struct plan_state, text)),
				 SP_ALIGN_UP(g->unit->max_string, 8) };
}

// ---- what went wrong, for catch (message) -------------------------------------------------------

static void put_map(struct gen *g, struct sp_buf *text, LLVMValueRef index)
{
	const struct ir_map *map = &g->unit->maps.v[LLVMConstIntGetZExtValue(index)];

	sp_error_put_map(text, map->label && *map->label ? map->label : map->name, map->max_entries);
}

static void put_message(struct gen *g, struct gen_str dst, enum sp_error_code code, LLVMValueRef value)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	enum sp_error_value kind = sp_error_put_what(&text, code);

	if (kind == SP_ERROR_ADDRESS) {
		gen_print_hex(g, dst, sp_buf_str(&text), value);
		return;
	}
	if (kind == SP_ERROR_MAP)
		put_map(g, &text, value);
	gen_str_literal(g, dst, sp_buf_str(&text), (uint32_t)text.len, true);
}

static bool enter_if_used(struct gen *g, LLVMBasicBlockRef block)
{
	if (LLVMGetFirstUse(LLVMBasicBlockAsValue(block))) {
		gen_enter(g, block);
		return true;
	}
	LLVMDeleteBasicBlock(block);
	return false;
}

// ---- records ------------------------------------------------------------------------------------

LLVMValueRef gen_fail_stamp(struct gen *g, LLVMValueRef head)
{
	LLVMValueRef flag;

	if (!g->fn->goes_on)
		return head;
	flag = LLVMBuildAnd(g->b, gen_load(g, g->fn->goes_on), gen_i64(g, SP_EVENT_GOES_ON), "");
	return LLVMBuildOr(g->b, head, flag, "");
}

// Not when the script had ended by then: the record may be behind that of the exit(), and is not printed itself. SP_EXITED is set
// before the record of the exit() is sent, and read behind this one.
void gen_fail_go_on(struct gen *g)
{
	LLVMValueRef exiting, flag;

	if (!g->fn->plan->goes_on || !g->fn->goes_on || !g->engine->has_verifier)
		return;
	exiting = gen_load_volatile(g, gen_data(g, offsetof(struct sp_control, exiting)));
	flag = LLVMBuildAnd(g->b, LLVMBuildNot(g->b, exiting, ""), gen_i64(g, SP_EXITED), "");
	flag = LLVMBuildMul(g->b, flag, gen_i64(g, SP_EVENT_GOES_ON / SP_EXITED), "");
	gen_store(g, LLVMBuildOr(g->b, gen_load(g, g->fn->goes_on), flag, ""), g->fn->goes_on);
}

static struct sp_event_head head_of(struct gen *g, uint32_t place)
{
	return (struct sp_event_head){ .kind = SP_EVENT_ERROR,
				       .prog = (uint16_t)g->fn->prog_index,
				       .id = place };
}

// The number of the program that runs. The verifier wants to see that it is one.
static LLVMValueRef prog_number(struct gen *g)
{
	LLVMValueRef number, is_known;

	if (!g->fn->is_shared)
		return gen_i64(g, g->fn->prog_index);
	number = gen_keep(g, gen_load(g, state_field(g, offsetof(struct plan_state, prog))));
	is_known = LLVMBuildICmp(g->b, LLVMIntULT, number, gen_i64(g, (int64_t)g->unit->progs.n), "");
	return gen_keep(g, LLVMBuildSelect(g->b, is_known, number, gen_i64(g, 0), ""));
}

LLVMValueRef gen_fail_head(struct gen *g, enum sp_event_kind kind, uint32_t id)
{
	struct sp_event_head head = { .kind = (uint16_t)kind, .id = id };
	LLVMValueRef prog = LLVMBuildShl(g->b, prog_number(g), gen_i64(g, 8 * offsetof(struct sp_event_head, prog)), "");
	uint64_t word;

	memcpy(&word, &head, sizeof(word));
	return LLVMBuildOr(g->b, gen_i64(g, (int64_t)word), prog, "");
}

static LLVMValueRef head_word(struct gen *g, uint32_t place)
{
	return gen_fail_head(g, SP_EVENT_ERROR, place);
}

// The calls of the functions that are inlined around the place, innermost first.
static unsigned inlined_calls(const struct gen *g, uint32_t calls[SP_EVENT_CALLS])
{
	unsigned n = 0;

	for (const struct gen_frame *f = g->frame; f->caller && n < SP_EVENT_CALLS; f = f->caller)
		if (f->call_place != IR_NO_PLACE)
			calls[n++] = f->call_place + 1;
	return n;
}

// `calls` NULL: those that are inlined around the place.
static void fill_record(struct gen *g, LLVMValueRef record, LLVMValueRef code, LLVMValueRef head,
			LLVMValueRef value, LLVMValueRef calls)
{
	uint32_t inlined[SP_EVENT_CALLS] = { 0 };
	LLVMValueRef to = gen_at(g, record, offsetof(struct sp_event_error, calls));

	if (g->fn->site)
		code = LLVMBuildOr(g->b, code, LLVMBuildShl(g->b, g->fn->site, gen_i64(g, 32), ""),
				   "");
	gen_store(g, g->fn->plan->can_exit ? gen_fail_stamp(g, head) : head, record);
	gen_store(g, code, gen_at(g, record, offsetof(struct sp_event_error, code)));
	gen_store(g, value, gen_at(g, record, offsetof(struct sp_event_error, value)));
	inlined_calls(g, inlined);
	for (unsigned i = 0; i < SP_EVENT_CALLS; i += 2) {
		uint64_t pair = inlined[i] | (uint64_t)inlined[i + 1] << 32;
		LLVMValueRef word = calls ? gen_load(g, gen_at(g, calls, i * sizeof(uint32_t)))
					  : gen_i64(g, (int64_t)pair);

		gen_store(g, word, gen_at(g, to, i * sizeof(uint32_t)));
	}
}

static LLVMValueRef fault_memory(struct gen *g)
{
	if (!g->fn->fault)
		g->fn->fault = gen_area(g, sizeof(struct sp_event_error));
	return g->fn->fault;
}

// Most failures are known but for where the program is: their record is a constant.
static void set_record(struct gen *g, enum sp_error_code code, uint32_t place, LLVMValueRef value)
{
	struct sp_event_error record = { .head = head_of(g, place), .code = code };
	bool is_known = !g->fn->callbacks && !g->fn->site && !g->fn->plan->tells_site && !g->fn->plan->can_exit && !g->fn->is_shared;
	LLVMValueRef ptr;

	if (is_known && LLVMIsAConstantInt(value)) {
		record.value = LLVMConstIntGetZExtValue(value);
		inlined_calls(g, record.calls);
		ptr = gen_constant(g, &record, sizeof(record));
	} else {
		ptr = fault_memory(g);
		fill_record(g, ptr, gen_i64(g, code), head_word(g, place), value, NULL);
	}
	if (!g->fn->callbacks) // where `error` points to the fault memory from the beginning
		LLVMBuildStore(g->b, ptr, g->fn->error);
}

// A call led to the failure that `state` tells of.
static void add_call(struct gen *g, uint32_t place)
{
	LLVMValueRef count = state_field(g, offsetof(struct plan_state, n_calls)), n = gen_load(g, count), at;
	LLVMBasicBlockRef room = gen_block(g), done = gen_block(g);

	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, n, gen_i64(g, SP_EVENT_CALLS), ""), room, done);
	gen_enter(g, room);
	at = LLVMBuildMul(g->b, n, gen_i64(g, sizeof(uint32_t)), "");
	at = gen_at_index(g, state_field(g, offsetof(struct plan_state, calls)), at);
	gen_store_sized(g, gen_i64(g, (int64_t)place + 1), at, sizeof(uint32_t));
	gen_store(g, LLVMBuildAdd(g->b, n, gen_i64(g, 1), ""), count);
	gen_goto(g, done);
	gen_enter(g, done);
}

static void start_calls(struct gen *g)
{
	uint32_t calls[SP_EVENT_CALLS] = { 0 };
	unsigned n = inlined_calls(g, calls);
	LLVMValueRef to = state_field(g, offsetof(struct plan_state, calls));

	gen_store(g, gen_i64(g, n), state_field(g, offsetof(struct plan_state, n_calls)));
	for (unsigned i = 0; i < SP_EVENT_CALLS; i++)
		gen_store_sized(g, gen_i64(g, calls[i]), gen_at(g, to, i * sizeof(uint32_t)), sizeof(uint32_t));
}

static void set_state(struct gen *g, enum sp_error_code code, uint32_t place, LLVMValueRef value)
{
	gen_store(g, gen_i64(g, code), state_field(g, offsetof(struct plan_state, code)));
	gen_store(g, gen_i64(g, place), state_field(g, offsetof(struct plan_state, place)));
	gen_store(g, value, state_field(g, offsetof(struct plan_state, value)));
	start_calls(g);
}

// A failure that ends the handler: the script's end, and other handlers, depend on which ones have some.
static void check_plan(struct gen *g)
{
	if (!g->engine->fails(g->fn->plan))
		gen_bug(g, "a failure in a handler that is planned as one without");
}

void gen_fail(struct gen *g, enum sp_error_code code, uint32_t place, LLVMValueRef value)
{
	const struct gen_catch *catch = g->frame->catch;

	value = value ? value : gen_i64(g, 0);
	if (catch->is_try) {
		if (catch->message.ptr)
			put_message(g, catch->message, code, value);
	} else if (g->fn->is_callee) {
		set_state(g, code, place, value);
		put_message(g, state_text(g), code, value);
	} else {
		check_plan(g);
		set_record(g, code, place, value);
	}
	gen_leave(g, catch->block);
}

void gen_fail_if(struct gen *g, LLVMValueRef cond, enum sp_error_code code, uint32_t place,
		 LLVMValueRef value)
{
	LLVMBasicBlockRef bad = gen_block(g), good = gen_block(g);

	gen_branch(g, cond, bad, good);
	gen_enter(g, bad);
	gen_fail(g, code, place, value);
	gen_goto(g, good);
	gen_enter(g, good);
}

// A handler that needs it for its failures alone asks for it here.
static void tell_site(struct gen *g, LLVMValueRef record)
{
	if (g->engine->site && g->fn->plan->tells_site)
		gen_store_sized(g, g->engine->site(g), gen_at(g, record, offsetof(struct sp_event_error, site)),
				sizeof(uint32_t));
}

// A record with a text behind it goes out at once.
static void send_message(struct gen *g, LLVMValueRef head, LLVMValueRef calls, struct gen_str text)
{
	const uint32_t head_size = sizeof(struct sp_event_error), size = head_size + text.cap;
	LLVMBasicBlockRef full = gen_block(g), done = gen_block(g);
	LLVMValueRef ptr = g->engine->record->reserve(g, size, (struct plan_slot){ PLAN_SLOT_NONE, 0 }, full);

	fill_record(g, ptr, gen_i64(g, SP_RT_USER), head, gen_i64(g, 0), calls);
	tell_site(g, ptr);
	gen_str_copy(g, (struct gen_str){ gen_at(g, ptr, head_size), text.cap }, text, false);
	g->engine->record->submit(g, ptr, size);
	gen_goto(g, done);
	if (enter_if_used(g, full))
		gen_goto(g, done);
	gen_enter(g, done);
}

void gen_fail_message(struct gen *g, const struct ir_expr *message, uint32_t place)
{
	const struct gen_catch *catch = g->frame->catch;
	struct gen_str text = gen_str_address(g, message);

	if (catch->is_try) {
		if (catch->message.ptr)
			gen_str_copy(g, catch->message, text, true);
		gen_leave(g, catch->block);
	} else if (g->fn->is_callee) {
		set_state(g, SP_RT_USER, place, gen_i64(g, 0));
		gen_str_copy(g, state_text(g), text, true);
		gen_leave(g, catch->block);
	} else {
		check_plan(g);
		send_message(g, head_word(g, place), NULL, text);
		gen_leave(g, g->fn->failed);
	}
}

// The handler sends what a function has left in `state`.
static void send_state(struct gen *g)
{
	LLVMBasicBlockRef user = gen_block(g), other = gen_block(g);
	LLVMValueRef code = gen_load(g, state_field(g, offsetof(struct plan_state, code)));
	LLVMValueRef place = gen_load(g, state_field(g, offsetof(struct plan_state, place)));
	LLVMValueRef calls = state_field(g, offsetof(struct plan_state, calls)), head, ptr = fault_memory(g);

	place = LLVMBuildShl(g->b, place, gen_i64(g, 32), "");
	head = LLVMBuildOr(g->b, head_word(g, 0), place, "");
	fill_record(g, ptr, code, head, gen_load(g, state_field(g, offsetof(struct plan_state, value))), calls);
	LLVMBuildStore(g->b, ptr, g->fn->error);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, code, gen_i64(g, SP_RT_USER), ""), user, other);
	gen_enter(g, other);
	gen_goto(g, g->fn->fail.block);
	gen_enter(g, user);
	send_message(g, head, calls, state_text(g));
	gen_goto(g, g->fn->failed);
}

static void leave_handler(struct gen *g)
{
	if (!g->fn->is_callee) {
		gen_leave(g, g->fn->done);
		return;
	}
	gen_leave(g, g->fn->aborted);
}

void gen_fail_again(struct gen *g, LLVMValueRef end, uint32_t place)
{
	const struct gen_catch *catch = g->frame->catch;
	LLVMBasicBlockRef aborted = gen_block(g), failed = gen_block(g);

	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, end, gen_i64(g, GEN_END_ABORTED), ""), aborted, failed);
	gen_enter(g, aborted);
	leave_handler(g);
	gen_goto(g, failed);
	gen_enter(g, failed);
	if (catch->is_try) {
		if (catch->message.ptr)
			gen_str_copy(g, catch->message, state_text(g), true);
		gen_leave(g, catch->block);
		return;
	}
	if (place != IR_NO_PLACE)
		add_call(g, place);
	for (const struct gen_frame *f = g->frame; f->caller; f = f->caller)
		if (f->call_place != IR_NO_PLACE)
			add_call(g, f->call_place);
	gen_leave(g, g->fn->is_callee ? catch->block : g->fn->told);
}

// ---- the end ------------------------------------------------------------------------------------

static void set_control(struct gen *g, size_t offset, int64_t value)
{
	gen_store_volatile(g, gen_i64(g, value), gen_data(g, offset));
}

static void store_exiting(struct gen *g)
{
	set_control(g, offsetof(struct sp_control, exiting), SP_EXITING | SP_EXITED);
}

// The first error ends the script unless MAXERRORS allows more: at once, not when the runtime has read the record.
static void count_error(struct gen *g)
{
	LLVMValueRef counter = gen_data(g, offsetof(struct sp_control, n_errors)), before, most;
	LLVMBasicBlockRef last = gen_block(g), done = gen_block(g);

	before = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, counter, gen_i64(g, 1),
				    LLVMAtomicOrderingMonotonic, false);
	most = gen_load_volatile(g, gen_data(g, offsetof(struct sp_control, max_errors)));
	if (!g->engine->has(g, SP_FEATURE_ATOMICS))
		before = LLVMBuildSub(g->b, gen_load_volatile(g, counter), gen_i64(g, 1), "");
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, before, most, ""), done, last);
	gen_enter(g, last);
	store_exiting(g);
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_fail_blocks(struct gen *g)
{
	if (enter_if_used(g, g->fn->told))
		send_state(g);
	if (enter_if_used(g, g->fn->fail.block)) {
		if (g->fn->is_callee) {
			g->engine->fn->callee_end(g, GEN_END_FAILED);
		} else {
			LLVMValueRef record = LLVMBuildLoad2(g->b, g->ptr, g->fn->error, "");

			tell_site(g, g->fn->fault);
			g->engine->record->send(g, record, gen_i64(g, sizeof(struct sp_event_error)));
			gen_goto(g, g->fn->failed);
		}
	}
	if (enter_if_used(g, g->fn->failed)) {
		count_error(g);
		gen_goto(g, g->fn->done);
	}
	if (enter_if_used(g, g->fn->aborted))
		g->engine->fn->callee_end(g, GEN_END_ABORTED);
}

static void send_exit(struct gen *g)
{
	struct sp_event_head head = { .kind = SP_EVENT_EXIT, .prog = (uint16_t)g->fn->prog_index };
	LLVMValueRef record;

	if (g->fn->is_shared) {
		record = gen_area(g, sizeof(head));
		gen_store(g, gen_fail_head(g, SP_EVENT_EXIT, 0), record);
	} else {
		record = gen_constant(g, &head, sizeof(head));
	}
	g->engine->record->send(g, record, gen_i64(g, sizeof(head)));
	gen_store(g, gen_i64(g, (int64_t)(SP_EVENT_GOES_ON | PLAN_EXITED)), g->fn->goes_on);
}

static LLVMValueRef has_exited(struct gen *g)
{
	return LLVMBuildAnd(g->b, gen_load(g, g->fn->goes_on), gen_i64(g, (int64_t)PLAN_EXITED), "");
}

// The first one to exit is the last one to speak: what others begin to print is behind its record, and is dropped. In the machine
// one handler runs at a time, and each tells: the rest of a handler may run when the script has ended in the kernel.
void gen_fail_exit(struct gen *g)
{
	LLVMBasicBlockRef first = gen_block(g), done = gen_block(g);
	LLVMValueRef was;

	if (!g->fn->goes_on) {
		gen_bug(g, "exit() in a handler that cannot exit");
		return;
	}
	if (g->fn->begins_exiting) {
		was = has_exited(g);
		store_exiting(g);
	} else if (g->engine->has_verifier && g->engine->has(g, SP_FEATURE_ATOMICS)) {
		was = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpXchg, gen_data(g, offsetof(struct sp_control, exiting)),
					 gen_i64(g, SP_EXITING | SP_EXITED), LLVMAtomicOrderingMonotonic, false);
	} else {
		was = has_exited(g);
		store_exiting(g);
	}
	gen_branch(g, gen_is_zero(g, was), first, done);
	gen_enter(g, first);
	send_exit(g);
	gen_goto(g, done);
	gen_enter(g, done);
}

// A handler that is one shot and did not come to its exit(), as a lock was not to be had: the script goes on, unless another handler
// or the last error has ended it.
void gen_fail_end(struct gen *g)
{
	LLVMBasicBlockRef back, done;

	if (!g->fn->begins_exiting)
		return;
	back = gen_block(g);
	done = gen_block(g);
	gen_branch(g, gen_is_zero(g, has_exited(g)), back, done);
	gen_enter(g, back);
	LLVMBuildAtomicCmpXchg(g->b, gen_data(g, offsetof(struct sp_control, exiting)), gen_i64(g, SP_EXITING), gen_i64(g, 0),
			       LLVMAtomicOrderingSequentiallyConsistent, LLVMAtomicOrderingSequentiallyConsistent, false);
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_fail_abort(struct gen *g)
{
	gen_fail_exit(g);
	leave_handler(g);
}

void gen_fail_count(struct gen *g, enum sp_loss loss)
{
	LLVMValueRef first = gen_data(g, g->plan->losses_offset + (uint64_t)loss * g->unit->progs.n * 8);
	LLVMValueRef at = gen_at_index(g, first, LLVMBuildShl(g->b, prog_number(g), gen_i64(g, 3), ""));

	LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, at, gen_i64(g, 1), LLVMAtomicOrderingMonotonic, false);
}

void gen_fail_count_if(struct gen *g, LLVMValueRef cond, enum sp_loss loss)
{
	LLVMBasicBlockRef lost = gen_block(g), done = gen_block(g);

	gen_branch(g, cond, lost, done);
	gen_enter(g, lost);
	gen_fail_count(g, loss);
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_fail_lost(struct gen *g, enum sp_loss loss)
{
	gen_fail_count(g, loss);
	leave_handler(g);
}

// The number is read from memory, of which the verifier knows nothing: were it a constant there, each
// count at the end of a loop would be a state of its own to follow.
void gen_fail_spend(struct gen *g, uint32_t place)
{
	LLVMValueRef budget = g->engine->fn->budget(g), left = gen_load(g, budget);

	gen_fail_if(g, LLVMBuildICmp(g->b, LLVMIntSLE, left, gen_i64(g, 0), ""), SP_RT_MAXACTION,
		    place, NULL);
	gen_store(g, LLVMBuildSub(g->b, left, gen_i64(g, 1), ""), budget);
}

void gen_fail_mark(struct gen *g, uint32_t place)
{
	if (g->engine->counts_steps && place != IR_NO_PLACE && g->unit->max_action)
		set_control(g, offsetof(struct sp_control, user_place), place);
}
