// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_value.h"

#include "compiler/gen/core/gen_context.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/value/gen_expr.h"

#include <errno.h>
#include <linux/bpf.h>

// ---- the current task ---------------------------------------------------------------------------

// A number in the kernel's memory; 0 where there is nothing.
static LLVMValueRef read_or_zero(struct gen *g, LLVMValueRef addr, unsigned size)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef buffer = gen_temp(g, 8), value;

	gen_call(g, GEN_READ_KERNEL, 3, buffer, gen_i64(g, size), addr);
	value = gen_load_sized(g, buffer, size, false);
	gen_release(g, mark);
	return value;
}

// Follows pointers from the current task by loads that the verifier checks against the kernel's types;
// they read 0 where there is nothing. The last one is `bytes` wide.
static LLVMValueRef follow(struct gen *g, const int64_t *offsets, unsigned n, unsigned bytes)
{
	LLVMValueRef value;

	if (gen_kernel_def_is_old(g)) {
		value = gen_call(g, GEN_TASK, 0);
		for (unsigned i = 0; i < n; i++)
			value = read_or_zero(g, LLVMBuildAdd(g->b, value, gen_i64(g, (uint64_t)offsets[i]), ""), i + 1 == n ? bytes : 8);
		return value;
	}
	value = gen_call(g, GEN_TASK_BTF, 0);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef ptr = LLVMBuildIntToPtr(g->b, value, g->ptr, "");

		value = gen_load_direct(g, ptr, offsets[i], i + 1 == n ? bytes : 8);
	}
	return bytes == 8 ? gen_launder(g, value) : value;
}

LLVMValueRef gen_kernel_value_task_member(struct gen *g, const struct ir_expr *e)
{
	return follow(g, &e->offset, 1, e->size);
}

// Members of the current task: the arguments are byte offsets, the last one of a 4-byte number.
static LLVMValueRef task_number(struct gen *g, const struct ir_expr *e)
{
	int64_t offsets[2];
	LLVMValueRef value;

	if (!e->n_args) {
		gen_bug(g, "a task's number without its offsets");
		return gen_i64(g, 0);
	}
	for (unsigned i = 0; i < e->n_args; i++)
		offsets[i] = e->args[i]->value;
	if (e->args[0]->op == IR_CONST)
		return follow(g, offsets, e->n_args, 4);
	value = gen_call(g, GEN_TASK, 0); // the verifier's checked loads take constants only
	for (unsigned i = 0; i < e->n_args; i++)
		value = read_or_zero(g, LLVMBuildAdd(g->b, value, gen_long(g, e->args[i]), ""), i + 1 == e->n_args ? 4 : 8);
	return value;
}

static LLVMValueRef task_address(struct gen *g, const struct ir_expr *e)
{
	(void)e;
	return gen_call(g, GEN_TASK, 0);
}

// Where the program goes on: in the registers that it came into the kernel with.
static LLVMValueRef user_address(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef regs;

	if (e->n_args != 1)
		return gen_i64(g, 0);
	regs = gen_call(g, GEN_TASK_REGS, 1, gen_call(g, GEN_TASK_BTF, 0));
	return gen_launder(g, gen_load_direct(g, LLVMBuildIntToPtr(g->b, regs, g->ptr, ""), e->args[0]->value, 8));
}

// What the kernel knows of a function's entry; the argument tells of other places.
static LLVMValueRef probed_address(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef entry = gen_context_func_ip(g);

	return e->n_args ? LLVMBuildSelect(g->b, gen_is_zero(g, entry), gen_long(g, e->args[0]), entry, "") : entry;
}

// ---- perf counters ------------------------------------------------------------------------------

struct count {
	LLVMValueRef cpu; // the processor's event
	LLVMValueRef since; // address: what that had counted at the last switch
	LLVMValueRef key; // address: the thread's in SP_MAP_COUNTS
	LLVMValueRef result; // variable
	uint32_t place;
};

// A processor that has just come online has no event for a while: nothing has been counted there since `before`.
static LLVMValueRef count_of_cpu(struct gen *g, const struct count *c, LLVMValueRef before)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef value = gen_temp(g, sizeof(struct bpf_perf_event_value)), error, is_absent, is_wrong, count;

	error = gen_keep(g, gen_call(g, GEN_PERF_READ, 4, gen_kernel_def_counters(g), c->cpu, value,
				     gen_i64(g, sizeof(struct bpf_perf_event_value))));
	is_absent = LLVMBuildICmp(g->b, LLVMIntEQ, error, gen_i64(g, (uint64_t)-ENOENT), "");
	is_wrong = LLVMBuildAnd(g->b, LLVMBuildICmp(g->b, LLVMIntNE, error, gen_i64(g, 0), ""), LLVMBuildNot(g->b, is_absent, ""), "");
	gen_fail_if(g, is_wrong, SP_RT_NO_COUNTER, c->place, NULL);
	count = LLVMBuildSelect(g->b, is_absent, before, gen_load_sized(g, value, 8, false), "");
	gen_release(g, mark);
	return count;
}

// A thread that has not been switched yet has nothing kept.
static void add_kept(struct gen *g, const struct count *c)
{
	LLVMBasicBlockRef known = gen_block(g), done = gen_block(g);
	LLVMValueRef found = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, gen_kernel_def_counts(g), c->key), g->ptr, "");

	gen_branch(g, gen_is_zero(g, found), done, known);
	gen_enter(g, known);
	gen_store(g, LLVMBuildAdd(g->b, gen_load(g, c->result), gen_load_volatile(g, found), ""), c->result);
	gen_goto(g, done);
	gen_enter(g, done);
}

// Returns what the processor had counted at the switch that this reckons from.
static LLVMValueRef reckon(struct gen *g, const struct count *c)
{
	LLVMValueRef before = gen_load_volatile(g, c->since);

	gen_store(g, LLVMBuildSub(g->b, count_of_cpu(g, c, before), before, ""), c->result);
	add_kept(g, c);
	return before;
}

// @perf. When the thread was away from the processor meanwhile, it is reckoned again.
static LLVMValueRef counted(struct gen *g, const struct ir_expr *e)
{
	LLVMBasicBlockRef have = gen_block(g), again = gen_block(g), done = gen_block(g), none = gen_block(g);
	uint32_t mark = gen_mark(g);
	struct count c = { .key = gen_temp(g, 8), .result = gen_variable(g), .place = e->place };
	LLVMValueRef first = gen_keep(g, gen_long(g, e->args[0])), cpu_key = gen_temp(g, 8), before, found;

	found = LLVMBuildShl(g->b, gen_call_pure(g, GEN_PID_TGID), gen_i64(g, 32), "");
	gen_store_sized(g, LLVMBuildOr(g->b, found, first, ""), c.key, 8);
	c.cpu = gen_keep(g, LLVMBuildAdd(g->b, first, gen_call(g, GEN_CPU, 0), ""));
	gen_store_sized(g, c.cpu, cpu_key, sizeof(uint32_t));
	c.since = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, gen_kernel_def_since(g), cpu_key), g->ptr, "");
	gen_store(g, gen_i64(g, 0), c.result);
	gen_branch(g, gen_is_zero(g, c.since), none, have);
	gen_enter(g, have);
	before = reckon(g, &c);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, before, gen_load_volatile(g, c.since), ""), done, again);
	gen_enter(g, again);
	reckon(g, &c);
	gen_goto(g, done);
	gen_enter(g, none);
	gen_fail(g, SP_RT_NO_COUNTER, e->place, NULL);
	gen_goto(g, done);
	gen_enter(g, done);
	gen_release(g, mark);
	return gen_load(g, c.result);
}

LLVMValueRef (*const gen_kernel_value_builtins[BUILTIN_COUNT])(struct gen *, const struct ir_expr *) = {
	[BUILTIN_ADDR] = probed_address,
	[BUILTIN_COMPAT_TASK] = task_number,
	[BUILTIN_EGID] = task_number,
	[BUILTIN_EUID] = task_number,
	[BUILTIN_PERF] = counted,
	[BUILTIN_PPID] = task_number,
	[BUILTIN_TASK_CURRENT] = task_address,
	[BUILTIN_UADDR] = user_address,
};
