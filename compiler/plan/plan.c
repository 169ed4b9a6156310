// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan.h"

#include "compiler/plan/plan_embed.h"
#include "compiler/plan/plan_env.h"
#include "compiler/plan/plan_fail.h"
#include "compiler/plan/plan_kernel.h"
#include "compiler/plan/plan_lock.h"
#include "compiler/plan/plan_loop.h"
#include "compiler/plan/plan_known.h"
#include "compiler/plan/plan_map.h"
#include "compiler/plan/plan_outline.h"
#include "compiler/plan/plan_regex.h"
#include "compiler/plan/plan_rest.h"
#include "compiler/plan/plan_sleep.h"
#include "compiler/plan/plan_slot.h"
#include "compiler/plan/plan_thread.h"

#include <stdio.h>

static struct plan *create(const struct ir_unit *unit, const struct plan_opts *opts)
{
	static const struct embedded none;
	struct plan *plan = sp_calloc(1, sizeof(*plan));

	plan->unit = unit;
	plan->embedded = opts->embedded ? opts->embedded : &none;
	plan->progs = sp_arena_array(&plan->arena, struct plan_prog, unit->progs.n);
	plan->funcs = sp_arena_array(&plan->arena, struct plan_func, unit->funcs.n);
	plan->codes = sp_arena_array(&plan->arena, struct plan_code, unit->n_stmts);
	plan->maps = sp_arena_array(&plan->arena, struct plan_map, unit->maps.n);
	plan->regexes = sp_arena_array(&plan->arena, struct plan_regex, unit->regexes.n);
	plan->globals = sp_arena_array(&plan->arena, uint32_t, unit->globals.n);
	plan->global_locks = sp_arena_array(&plan->arena, uint32_t, unit->globals.n);
	plan->lock_causes = sp_arena_array(&plan->arena, const char *, unit->globals.n + unit->maps.n);
	for (size_t i = 0; i < unit->progs.n; i++) {
		plan->progs[i].in_kernel = unit->progs.v[i].in_kernel;
		plan->progs[i].in_user = unit->progs.v[i].in_user;
		plan->progs[i].is_stackless = opts->stackless && opts->stackless[i];
		plan->progs[i].has_texts_in_place = opts->texts_in_place && opts->texts_in_place[i];
	}
	return plan;
}

void plan_destroy(struct plan *plan)
{
	if (!plan)
		return;
	sp_arena_deinit(&plan->arena);
	free(plan);
}

// spile_data: the control block, the programs' counters, then the scalars, and arrays whose places are known.
static void lay_out_data(struct plan *plan)
{
	const struct ir_unit *unit = plan->unit;
	uint32_t offset = sizeof(struct sp_control);

	plan->losses_offset = offset;
	offset += (uint32_t)(SP_LOSS_COUNT * unit->progs.n * sizeof(uint64_t));
	for (size_t i = 0; i < unit->globals.n; i++) {
		plan->globals[i] = offset;
		offset += unit->globals.v[i].type == IR_STR ? unit->globals.v[i].cap : 8;
	}
	for (size_t i = 0; i < unit->maps.n; i++) {
		plan->maps[i].data_offset = plan->maps[i].is_direct || plan->maps[i].is_split ? offset : 0;
		offset += plan->maps[i].n_places * (uint32_t)sizeof(struct sp_direct) + (plan->maps[i].is_split ? 8 : 0);
	}
	plan->tokens_offset = offset;
	offset += plan->tokens_size;
	plan->order_offset = plan->order_size ? offset : 0;
	offset += plan->order_size;
	plan->tracer_offset = offset;
	plan->data_size = offset + (unit->has_tracer_frames ? 2 * 8 : 0);
	if (!plan->n_locks)
		return;
	plan->locks_offset = SP_ALIGN_UP(plan->data_size, (uint32_t)sizeof(struct sp_lock));
	plan->data_size = plan->locks_offset + plan->n_locks * (uint32_t)sizeof(struct sp_lock);
}

// As many sleepers as possible, in a megabyte of each CPU at most.
static void choose_levels(struct plan *plan)
{
	uint32_t room = (1u << 20) / SP_MAX(plan->scratch_size, 1u);

	plan->scratch_levels = SP_SCRATCH_LEVELS;
	for (size_t i = 0; i < plan->unit->progs.n; i++)
		if (plan->progs[i].may_sleep)
			plan->scratch_levels = SP_MAX(SP_MIN(room, (uint32_t)SP_SCRATCH_SLEEPERS), (uint32_t)SP_SCRATCH_LEVELS);
}

// FMODE_BACKING, which no BTF tells. Before 6.8 a mapping of an overlay has the file below for all to see.
static uint32_t backing_mode(unsigned release)
{
	return release < 608 ? 0 : release < 612 ? 1u << 25 : 1u << 24;
}

// Tables are made for x86_64 alone, and what is mapped is read from the trees of Linux 6.1. Else the kernel walks by frame pointers.
static void choose_unwind(struct plan *plan)
{
	const struct ir_unit *unit = plan->unit;
	unsigned release = target_linux(&unit->target);
	bool any = false;

	for (size_t i = 0; i < unit->progs.n; i++)
		any = any || plan->progs[i].in_kernel;
	if (!any || !unit->has_user_stacks)
		return;
	plan->why_pointers = !sp_streq(unit->target.arch, "x86_64") ? "unwind tables are made for x86_64"
			     : !target_has(&unit->target, SP_FEATURE_BPF_LOOP) ? "the kernel has no bpf_loop (Linux 5.17)"
			     : release && release < 601 ? "the kernel has no trees of mappings (Linux 6.1)"
			     : !target_has(&unit->target, SP_FEATURE_BTF) ? "the kernel has no BTF" : NULL;
	plan->unwinds = !plan->why_pointers;
	plan->unwind_backing = backing_mode(release);
	if (plan->unwinds)
		plan->features |= 1ull << SP_FEATURE_BPF_LOOP | 1ull << SP_FEATURE_BTF;
}

static void list_unwind_fixups(struct plan *plan, struct ir_fixup *to)
{
	static const char *const members[PLAN_UNWIND_FIXUPS] = {
		[PLAN_UNWIND_VM_START] = "struct vm_area_struct.vm_start:8:0", [PLAN_UNWIND_VM_PGOFF] = "struct vm_area_struct.vm_pgoff:8:0",
		[PLAN_UNWIND_VM_FILE] = "struct vm_area_struct.vm_file:8:0", [PLAN_UNWIND_VM_MM] = "struct vm_area_struct.vm_mm:8:0",
		[PLAN_UNWIND_F_INODE] = "struct file.f_inode:8:0", [PLAN_UNWIND_I_SB] = "struct inode.i_sb:8:0",
		[PLAN_UNWIND_I_INO] = "struct inode.i_ino:8:0", [PLAN_UNWIND_S_DEV] = "struct super_block.s_dev:4:0",
		[PLAN_UNWIND_MM_CONTEXT] = "struct mm_struct.context:0:0", [PLAN_UNWIND_VDSO] = "mm_context_t.vdso:8:0",
		[PLAN_UNWIND_F_MODE] = "struct file.f_mode:4:0", [PLAN_UNWIND_FILE_SIZE] = "struct file.:0:0",
		[PLAN_UNWIND_D_INODE] = "struct dentry.d_inode:8:0", [PLAN_UNWIND_TASK_MM] = "struct task_struct.mm:8:0",
		[PLAN_UNWIND_MM_MT] = "struct mm_struct.mm_mt:0:0", [PLAN_UNWIND_MA_ROOT] = "struct maple_tree.ma_root:8:0",
		[PLAN_UNWIND_MR_PIVOT] = "struct maple_range_64.pivot:0:0", [PLAN_UNWIND_MR_SLOT] = "struct maple_range_64.slot:0:0",
		[PLAN_UNWIND_MA_SLOT] = "struct maple_arange_64.slot:0:0",
		[PLAN_UNWIND_UTASK] = "struct task_struct.utask:8:0",
		[PLAN_UNWIND_PENDING] = "struct uprobe_task.return_instances:8:0",
		[PLAN_UNWIND_PENDING_SP] = "struct return_instance.stack:8:0",
		[PLAN_UNWIND_PENDING_PC] = "struct return_instance.orig_ret_vaddr:8:0",
		[PLAN_UNWIND_PENDING_NEXT] = "struct return_instance.next:8:0",
		[PLAN_UNWIND_CTX_ID] = "mm_context_t.ctx_id:8:0", [PLAN_UNWIND_MM_LOCK_SEQ] = "struct mm_struct.mm_lock_seq:0:0",
	};

	plan->unwind_fixup = plan->n_fixups;
	for (unsigned i = 0; i < PLAN_UNWIND_FIXUPS; i++)
		to[plan->n_fixups++] = (struct ir_fixup){ SP_FIX_LAYOUT, SP_NONE, members[i] };
}

static void list_fixups(struct plan *plan)
{
	const struct ir_unit *unit = plan->unit;
	struct ir_fixup *all = sp_arena_array(&plan->arena, struct ir_fixup, unit->fixups.n + 1 + PLAN_UNWIND_FIXUPS);

	if (unit->fixups.n)
		memcpy(all, unit->fixups.v, unit->fixups.n * sizeof(*all));
	plan->n_fixups = (uint32_t)unit->fixups.n;
	if (plan->reads_cpus)
		all[plan->n_fixups++] = (struct ir_fixup){ SP_FIX_CPUS, SP_NONE, "" };
	if (plan->unwinds)
		list_unwind_fixups(plan, all);
	plan->fixups = all;
}

static void choose_rows(void *ctx, const struct ir_stmt *s)
{
	struct plan *plan = ctx;

	if (s->op == IR_S_FOREACH && s->foreach.sort_dir)
		plan->codes[s->id].rows = ir_walk_rows(plan->unit, s);
}

static void check_number(const struct plan_env *env)
{
	const struct ir_unit *unit = env->unit;

	if (unit->progs.n > TARGET_MAX_PROGRAMS)
		diag(env->dc, plan_span(env, unit->progs.v[TARGET_MAX_PROGRAMS].place), DIAG_FIT_PROGRAMS,
		     "there are %zu handlers; there may be %u", unit->progs.n, TARGET_MAX_PROGRAMS);
}

// The order of the steps matters: each reads what those before it have decided.
struct plan *plan_make(const struct ir_unit *unit, const struct plan_opts *opts, const struct source_map *sources,
		       struct diag_ctx *dc)
{
	struct plan *plan = create(unit, opts);
	const struct plan_env env = { unit, plan, sources, dc };
	const struct ir_visitor rows = { .ctx = plan, .stmt = choose_rows };
	struct plan_calls calls;

	check_number(&env);
	plan_regex(&env);
	plan_calls_init(&calls, plan);
	plan_embed(&env);
	plan_map(plan);
	plan_known(plan);
	plan_thread(plan);
	plan_loop(plan, &calls);
	plan_fail(plan, &calls);
	plan_outline(&env, &calls);
	plan_calls_back(&calls, plan);
	plan_lock(&env, &calls, !opts->stackless);
	plan_sleep(plan);
	plan_rest(&env, &calls);
	ir_walk_unit(unit, &rows);
	plan_slots(plan, &calls);
	plan_ends(plan);
	plan_kernel(&env);
	choose_unwind(plan);
	list_fixups(plan);
	lay_out_data(plan);
	choose_levels(plan);
	plan_calls_deinit(&calls);
	return plan;
}
