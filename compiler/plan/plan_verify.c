// SPDX-License-Identifier: GPL-2.0-or-later
// What can be checked of a plan without making code: that slots are within their frames, that each loop has a form and that
// outlined statements are there.
#include "compiler/plan/plan.h"

#include "compiler/plan/plan_calls.h"

#define MAX_STACK 256 // of a chain of calls
#define MAX_UNROLL 32

struct verify {
	struct plan *plan;
	const struct plan_layout *layout;
	const struct plan_frame *frame; // of the body
	bool in_kernel;
	uint32_t lock; // of the program; 0: none
	const char *where; // name of the program or function
	const char *broken;
};

static void SP_PRINTF(2, 3) broken(struct verify *v, const char *fmt, ...)
{
	struct sp_buf text = { 0 };
	va_list args;

	if (v->broken)
		return;
	sp_buf_printf(&text, "%s: ", v->where);
	va_start(args, fmt);
	sp_buf_vprintf(&text, fmt, args);
	va_end(args);
	v->broken = sp_arena_strdup(&v->plan->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
}

// ---- bodies -------------------------------------------------------------------------------------

static void check_slot(struct verify *v, const char *what, const struct plan_slot *slot, uint32_t size)
{
	bool is_on_stack = slot->kind == PLAN_SLOT_STACK;
	uint32_t most = is_on_stack ? v->frame->stack_size : v->frame->scratch_size;

	if (slot->kind == PLAN_SLOT_NONE)
		return;
	if (slot->offset % 8 || slot->offset > most || size > most - slot->offset)
		broken(v, "the slot of %s, %u bytes at %u of the %s, is outside of its %u bytes", what, size, slot->offset,
		       is_on_stack ? "stack" : "scratch frame", most);
}

static uint32_t key_size(const struct verify *v, uint32_t map)
{
	return v->plan->unit->maps.v[map].key_size;
}

static void check_expr(void *ctx, const struct ir_expr *e)
{
	struct verify *v = ctx;
	const struct plan_expr *p = &v->layout->exprs[e->id];
	const char *what = ir_expr_op_name(e->op);

	check_slot(v, what, &p->result, e->cap);
	check_slot(v, what, &p->key, e->op == IR_SPRINTF ? e->n_args * 8 : p->key.kind ? key_size(v, e->map) : 0);
	check_slot(v, what, &p->work, ir_work_size(e));
	if (p->work.kind != (ir_work_size(e) ? PLAN_SLOT_SCRATCH : PLAN_SLOT_NONE))
		broken(v, "%s has no work area, or one that it does not need", what);
}

static void check_loop(struct verify *v, const struct plan_code *code)
{
	if (code->form == PLAN_LOOP_NONE)
		broken(v, "a loop has no form");
	else if (code->form == PLAN_LOOP_UNROLL && (!code->trips || code->trips > MAX_UNROLL))
		broken(v, "a loop of %u rounds is unrolled", code->trips);
}

static void check_stmt(void *ctx, const struct ir_stmt *s)
{
	struct verify *v = ctx;
	const struct plan_code *code = &v->plan->codes[s->id];
	const struct plan_stmt *p = &v->layout->stmts[s->id];
	const struct ir_stmt *last = s;
	const char *what = ir_stmt_op_name(s->op);

	check_slot(v, what, &p->key, s->op == IR_S_EMIT ? s->n_args * 8 : p->key.kind ? key_size(v, s->map) : 0);
	check_slot(v, what, &p->value, p->value.kind ? v->plan->unit->maps.v[s->map].value_size : 0);
	check_slot(v, what, &p->walk, p->walk.kind ? plan_walk_size(&v->plan->unit->maps.v[s->map], code->rows) : 0);
	if (s->op == IR_S_FOREACH && v->in_kernel && p->walk.kind == PLAN_SLOT_NONE)
		broken(v, "a walk in the kernel has no slot");
	if (s->op == IR_S_LOOP)
		check_loop(v, code);
	if ((code->locks || code->unlocks) && !v->lock)
		broken(v, "a statement takes or releases a lock, which its body has none of");
	for (uint32_t i = 1; i < code->outlined && last; i++) {
		last = last->next;
		if (!last || v->plan->codes[last->id].outlined)
			broken(v, "%u statements are outlined, %u are there", code->outlined, i);
	}
}

static void check_body(struct verify *v, const struct ir_local *locals, size_t n_locals, const struct ir_stmt *body)
{
	const struct ir_visitor visitor = { .ctx = v, .expr = check_expr, .stmt = check_stmt };

	if (v->frame->stack_size > MAX_STACK)
		broken(v, "the slots take %u bytes of stack", v->frame->stack_size);
	if (v->frame->stack_size && v->in_kernel && plan_has_callback(v->plan, body))
		broken(v, "slots are on the stack, and a callback cannot reach them");
	for (size_t i = 0; i < n_locals; i++)
		check_slot(v, "a local", &v->frame->locals[i], locals[i].type == IR_STR ? locals[i].cap : 8);
	ir_walk_stmts(body, &visitor);
}

static void check_func(struct verify *v, uint32_t index)
{
	const struct ir_func *func = &v->plan->unit->funcs.v[index];

	v->where = func->name;
	v->frame = &v->layout->funcs[index];
	v->in_kernel = v->plan->funcs[index].in_kernel;
	check_body(v, func->locals.v, func->locals.n, func->body);
}

static void check_prog(struct verify *v, uint32_t index)
{
	const struct ir_prog *prog = &v->plan->unit->progs.v[index];
	const struct plan_prog *p = &v->plan->progs[index];

	v->where = prog->name;
	v->layout = plan_layout(v->plan, index);
	v->frame = &v->layout->progs[index];
	v->in_kernel = p->in_kernel;
	v->lock = p->lock;
	if (p->lock > v->plan->n_locks)
		broken(v, "it takes lock %u of %u", p->lock, v->plan->n_locks);
	check_body(v, prog->locals.v, prog->locals.n, prog->body);
	if (p->is_stackless && v->frame->stack_size)
		broken(v, "it is stackless, and has %u bytes of stack", v->frame->stack_size);
	if (p->scratch_size < v->frame->scratch_size || (p->scratch_size && p->scratch_size > v->plan->scratch_size))
		broken(v, "the scratch frame of %u bytes does not hold its %u", v->plan->scratch_size, p->scratch_size);
}

// ---- data ---------------------------------------------------------------------------------------

static void check_data(struct verify *v)
{
	const struct ir_unit *unit = v->plan->unit;
	uint32_t end = v->plan->losses_offset + (uint32_t)(SP_LOSS_COUNT * unit->progs.n * sizeof(uint64_t));

	for (size_t i = 0; i < unit->globals.n; i++) {
		if (v->plan->globals[i] < end)
			broken(v, "global %s overlaps what is in front of it", unit->globals.v[i].name);
		end = v->plan->globals[i] + (unit->globals.v[i].type == IR_STR ? unit->globals.v[i].cap : 8);
	}
	if (v->plan->order_offset && v->plan->order_offset < end)
		broken(v, "the place for changes in order overlaps the globals");
	if (end + v->plan->tokens_size + v->plan->order_size > v->plan->data_size)
		broken(v, "the data of %u bytes does not hold the globals", v->plan->data_size);
	end = SP_MAX(end, v->plan->order_offset + v->plan->order_size);
	if (v->plan->n_locks && (v->plan->locks_offset < end || v->plan->locks_offset % sizeof(struct sp_lock) ||
				 v->plan->locks_offset + v->plan->n_locks * sizeof(struct sp_lock) != v->plan->data_size))
		broken(v, "the %u locks are not at the data's end", v->plan->n_locks);
	if (!v->plan->max_nesting)
		broken(v, "no call is allowed");
}

const char *plan_verify(struct plan *plan)
{
	struct verify v = { .plan = plan, .where = "unit" };

	check_data(&v);
	for (int stackless = 0; stackless < 2; stackless++) {
		v.layout = &plan->layouts[stackless];
		for (uint32_t i = 0; i < plan->unit->funcs.n && v.layout->funcs; i++)
			check_func(&v, i);
	}
	for (uint32_t i = 0; i < plan->unit->progs.n; i++)
		check_prog(&v, i);
	return v.broken;
}
