// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_value.h"

#include "compiler/gen/value/gen_expr.h"

// ---- the current task ---------------------------------------------------------------------------

// Follows pointers from the current task by loads that the verifier checks against the kernel's types;
// they read 0 where there is nothing. The last one is `bytes` wide.
static LLVMValueRef follow(struct gen *g, const int64_t *offsets, unsigned n, unsigned bytes)
{
	LLVMValueRef value = gen_call(g, GEN_TASK_BTF, 0);

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef ptr = LLVMBuildIntToPtr(g->b, value, g->ptr, "");

		value = gen_load_direct(g, ptr, offsets[i], i + 1 == n ? bytes : 8);
	}
	return bytes == 8 ? gen_launder(g, value) : value;
}

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
	LLVMValueRef entry = gen_call(g, GEN_FUNC_IP, 1, g->fn->ctx);

	return e->n_args ? LLVMBuildSelect(g->b, gen_is_zero(g, entry), gen_long(g, e->args[0]), entry, "") : entry;
}

LLVMValueRef (*const gen_kernel_value_builtins[BUILTIN_COUNT])(struct gen *, const struct ir_expr *) = {
	[BUILTIN_ADDR] = probed_address,
	[BUILTIN_COMPAT_TASK] = task_number,
	[BUILTIN_EGID] = task_number,
	[BUILTIN_EUID] = task_number,
	[BUILTIN_PPID] = task_number,
	[BUILTIN_TASK_CURRENT] = task_address,
	[BUILTIN_UADDR] = user_address,
};
