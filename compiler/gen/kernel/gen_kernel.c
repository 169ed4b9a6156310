// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel.h"

#include "compiler/gen/core/gen_cost.h"
#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/core/gen_module.h"
#include "compiler/gen/kernel/gen_coroutine.h"
#include "compiler/gen/kernel/gen_frames.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_kernel_fn.h"
#include "compiler/gen/kernel/gen_kernel_lock.h"
#include "compiler/gen/kernel/gen_kernel_loop.h"
#include "compiler/gen/kernel/gen_kernel_map.h"
#include "compiler/gen/kernel/gen_kernel_state.h"
#include "compiler/gen/kernel/gen_kernel_text.h"
#include "compiler/gen/kernel/gen_kernel_value.h"
#include "compiler/gen/kernel/gen_order.h"
#include "compiler/gen/kernel/gen_stack.h"
#include "compiler/gen/kernel/gen_stat.h"
#include "compiler/gen/kernel/gen_syscall.h"
#include "compiler/gen/kernel/gen_unwind.h"
#include "compiler/gen/kernel/gen_walk.h"
#include "runtime/base/cleanup.h"

#define MAX_JUMPS 4096 // half of those that the verifier remembers (BPF_COMPLEXITY_LIMIT_JMP_SEQ)

static bool runs(const struct plan_prog *plan)
{
	return plan->in_kernel;
}

static bool fails(const struct plan_prog *plan)
{
	return plan->fails_in_kernel;
}

static bool has(const struct gen *g, enum sp_feature feature)
{
	return target_has(&g->unit->target, feature);
}

// ---- the module ---------------------------------------------------------------------------------

static void begin(struct gen *g)
{
	g->kernel = sp_arena_new(g->arena, struct gen_kernel);
	g->debug = gen_debug_create(g);
}

static void add_license(struct gen *g)
{
	static const char license[] = "GPL";
	LLVMValueRef init = LLVMConstStringInContext(g->ctx, license, sizeof(license), true);
	LLVMValueRef global = LLVMAddGlobal(g->mod, LLVMTypeOf(init), "_license");

	LLVMSetInitializer(global, init);
	LLVMSetSection(global, "license");
	LLVMSetAlignment(global, 1);
}

// What the runtime looks for is there, used or not.
static void complete(struct gen *g)
{
	if (g->is_first) {
		gen_order_program(g);
		add_license(g);
		gen_data(g, 0);
	}
	if (g->is_first && g->plan->n_fixups)
		gen_fixup(g, 0);
	gen_kernel_def_scratch_done(g);
	gen_debug_destroy(g->debug);
	g->debug = NULL;
}

static struct sp_err *check_stack(const struct gen *g, const struct gen_module *module)
{
	sp_cleanup(object_elf_deinit) struct object_elf elf = { 0 };
	uint8_t *excess = module->opts->excess;

	SP_TRY(object_elf_read(&module->object, &elf));
	for (size_t i = module->first; i < module->end; i++) {
		const struct ir_prog *prog = &g->unit->progs.v[i];
		const struct ir_place *at = &g->unit->places.v[prog->place];
		struct gen_stack stack;

		if (!g->plan->progs[i].in_kernel || (excess && excess[i] == GEN_FRAMES))
			continue;
		stack = gen_stack_chain(&elf, prog->name);
		if (excess)
			excess[i] = stack.frames > GEN_STACK_FRAMES ? GEN_FRAMES : stack.bytes > GEN_STACK_MAX ? GEN_STACK : GEN_FITS;
		else if (stack.frames > GEN_STACK_FRAMES)
			return sp_err_new(SP_ERR_SCRIPT,
					  "%s:%u:%u: loops and calls of the handler are nested too deep: they become %u functions "
					  "that call each other, and the kernel allows %d%s%s",
					  at->file, at->line, at->column, stack.frames, GEN_STACK_FRAMES,
					  prog->deferral.stays.what ? "; it cannot run outside of the kernel, since " : "",
					  prog->deferral.stays.what ? prog->deferral.stays.what : "");
		else if (stack.bytes > GEN_STACK_MAX)
			return sp_err_new(SP_ERR_SCRIPT,
					  "%s:%u:%u: the handler and what it calls take %u bytes of stack, of which the kernel "
					  "has %d: take its largest expressions apart, or divide it into several probes%s%s",
					  at->file, at->line, at->column, stack.bytes, GEN_STACK_MAX,
					  prog->deferral.stays.what ? "; it cannot run outside of the kernel, since " : "",
					  prog->deferral.stays.what ? prog->deferral.stays.what : "");
	}
	return NULL;
}

static struct sp_err *check(const struct gen *g, const struct gen_module *module)
{
	SP_TRY(gen_cost_check(g->plan, g->mod, &module->object));
	return check_stack(g, module);
}

static const struct gen_engine_map map = {
	.define = gen_kernel_def_array,
	.known = gen_kernel_map_known,
	.get = gen_kernel_map_get,
	.get_str = gen_kernel_map_get_str,
	.has = gen_kernel_map_has,
	.kept = gen_kernel_map_kept,
	.add = gen_kernel_map_add,
	.set = gen_kernel_map_set,
	.place = gen_kernel_map_place,
	.delete = gen_kernel_map_delete,
	.clear = gen_walk_clear,
	.foreach = gen_walk_foreach,
	.stat_add = gen_stat_add,
	.stat_get = gen_stat_get,
	.stat_print = gen_stat_print,
};

const struct gen_engine gen_kernel = {
	.name = "kernel",
	.has_verifier = true,
	.has_debug = true,
	.defines_data = true,
	.max_jumps = MAX_JUMPS,
	.runs = runs,
	.fails = fails,
	.has = has,
	.begin = begin,
	.complete = complete,
	.drop = gen_frames_drop,
	.check = check,
	.site = gen_site_index,
	.reg = gen_syscall_reg,
	.unwind = gen_unwind,
	.task_member = gen_kernel_value_task_member,
	.builtins = gen_kernel_value_builtins,
	.fn = &gen_kernel_fn,
	.flow = { .loop = gen_kernel_loop, .pauses = gen_coroutine_pauses },
	.lock = &gen_kernel_lock,
	.record = &gen_kernel_record,
	.map = &map,
	.text = &gen_kernel_text,
};
