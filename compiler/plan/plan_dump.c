// SPDX-License-Identifier: GPL-2.0-or-later
// The plan within the IR's dump: a decision stands behind the node that it is about, those about the whole unit at the end.
#include "compiler/plan/plan.h"

struct dump {
	const struct plan *plan;
	const struct plan_layout *layout; // of the body that is printed
};

static void slot(struct sp_buf *out, const char *name, const struct plan_slot *slot)
{
	if (slot->kind != PLAN_SLOT_NONE)
		sp_buf_printf(out, "{%s%s+%u}", name, slot->kind == PLAN_SLOT_STACK ? "stack" : "scratch", slot->offset);
}

static void note_expr(void *ctx, struct sp_buf *out, const struct ir_expr *e)
{
	const struct dump *d = ctx;
	const struct plan_expr *p = &d->layout->exprs[e->id];

	slot(out, "", &p->result);
	slot(out, "key ", &p->key);
}

static void note_outlined(void *ctx, struct sp_buf *out, const struct ir_stmt *s, unsigned depth)
{
	const struct dump *d = ctx;

	if (!d->plan->codes[s->id].outlined)
		return;
	sp_buf_fill(out, '\t', depth);
	sp_buf_printf(out, "outlined, %u:\n", d->plan->codes[s->id].outlined);
}

static void note_stmt(void *ctx, struct sp_buf *out, const struct ir_stmt *s)
{
	static const char *const forms[] = {
		[PLAN_LOOP_UNROLL] = " unroll", [PLAN_LOOP_BOUNDED] = " bounded", [PLAN_LOOP_CALL] = " call",
	};
	const struct dump *d = ctx;
	const struct plan_code *code = &d->plan->codes[s->id];
	const struct plan_stmt *p = &d->layout->stmts[s->id];

	if (code->form != PLAN_LOOP_NONE)
		sp_buf_puts(out, forms[code->form]);
	if (code->trips)
		sp_buf_printf(out, " %u", code->trips);
	slot(out, " ", &p->value);
	slot(out, " key ", &p->key);
	sp_buf_puts(out, code->extreme ? " at once" : "");
	sp_buf_puts(out, code->locks ? " locks" : "");
	sp_buf_puts(out, code->unlocks ? " unlocks" : "");
	sp_buf_puts(out, code->lets_go ? " lets go" : "");
	sp_buf_puts(out, code->asks ? " asks" : "");
}

static void note_local(void *ctx, struct sp_buf *out, const struct ir_func *func, const struct ir_prog *prog,
		       uint32_t local)
{
	const struct dump *d = ctx;
	const struct ir_unit *unit = d->plan->unit;
	const struct plan_frame *frame = func ? &d->layout->funcs[func - unit->funcs.v]
					      : &d->layout->progs[prog - unit->progs.v];

	slot(out, " ", &frame->locals[local]);
}

static void note_global(void *ctx, struct sp_buf *out, uint32_t global)
{
	const struct dump *d = ctx;

	sp_buf_printf(out, " at %u", d->plan->globals[global]);
}

static void engines(struct sp_buf *out, bool in_kernel, bool in_user, const struct plan_frame *frame, uint32_t scratch)
{
	sp_buf_printf(out, " [%s%s%s]", in_kernel ? "kernel" : "", in_kernel && in_user ? " " : "", in_user ? "user" : "");
	if (frame->stack_size)
		sp_buf_printf(out, " stack %u", frame->stack_size);
	if (scratch)
		sp_buf_printf(out, " scratch %u", scratch);
}

static void note_func(void *ctx, struct sp_buf *out, uint32_t func)
{
	struct dump *d = ctx;
	const struct plan_func *p = &d->plan->funcs[func];
	const struct plan_frame *frame;

	d->layout = &d->plan->layouts[false];
	frame = &d->layout->funcs[func];
	engines(out, p->in_kernel, p->in_user, frame, frame->scratch_size);
	sp_buf_puts(out, p->fails_in_kernel || p->fails_in_user ? " fails" : "");
	sp_buf_puts(out, p->is_recursive ? " recursive" : "");
}

static void note_prog(void *ctx, struct sp_buf *out, uint32_t prog)
{
	struct dump *d = ctx;
	const struct plan_prog *p = &d->plan->progs[prog];

	d->layout = plan_layout(d->plan, prog);
	engines(out, p->in_kernel, p->in_user, &d->layout->progs[prog], p->scratch_size);
	sp_buf_puts(out, p->can_exit ? " exits" : "");
	sp_buf_puts(out, p->keeps_match ? " keeps-match" : "");
	sp_buf_puts(out, p->reads_site ? " reads-site" : "");
	sp_buf_puts(out, p->is_stackless ? " stackless" : "");
	sp_buf_puts(out, p->has_texts_in_place ? " texts-in-place" : "");
	sp_buf_puts(out, p->may_sleep ? " sleeps" : "");
	if (p->lock)
		sp_buf_printf(out, " lock %u%s", p->lock, p->locks_all ? " all" : "");
}

static void dump_unit(struct sp_buf *out, const struct plan *plan)
{
	static const char *const names[] = {
#define SP_FEATURE(id, name, since, what) name,
		SP_FEATURES(SP_FEATURE)
#undef SP_FEATURE
	};

	sp_buf_puts(out, "needs");
	for (unsigned i = 0; i < SP_FEATURE_COUNT; i++)
		if (plan->features >> i & 1)
			sp_buf_printf(out, " %s", names[i]);
	sp_buf_printf(out, "\ndata %u, losses at %u, scratch %u", plan->data_size, plan->losses_offset, plan->scratch_size);
	if (plan->n_locks)
		sp_buf_printf(out, ", %u lock%s at %u", plan->n_locks, plan->n_locks == 1 ? "" : "s", plan->locks_offset);
	sp_buf_putc(out, '\n');
}

void plan_dump(struct sp_buf *out, const struct plan *plan)
{
	struct dump d = { .plan = plan };
	const struct ir_notes notes = {
		.ctx = &d,
		.expr = note_expr,
		.before = note_outlined,
		.stmt = note_stmt,
		.local = note_local,
		.global = note_global,
		.func = note_func,
		.prog = note_prog,
	};

	ir_dump(out, plan->unit, &notes);
	dump_unit(out, plan);
}
