// SPDX-License-Identifier: GPL-2.0-or-later
// Tracepoints of system calls have no attach cookie: the number of the call tells the site.
#include "compiler/gen/kernel/gen_syscall.h"

#include "compiler/gen/kernel/gen_kernel_state.h"

#define NUMBER_WORD 8 // of sys_enter's context

LLVMValueRef gen_syscall_reg(struct gen *g, uint32_t offset, unsigned size)
{
	LLVMValueRef regs = LLVMBuildIntToPtr(g->b, gen_load_direct(g, g->fn->ctx, 0, 8), g->ptr, "");

	return gen_load_direct(g, regs, offset, size);
}

static LLVMValueRef number_at_return(struct gen *g)
{
	LLVMValueRef regs, at, value;

	if (g->fn->prog->kind == SP_PROG_TYPED_TP)
		return gen_syscall_reg(g, g->unit->syscall_number, sizeof(uint32_t));
	regs = gen_load_direct(g, g->fn->ctx, 0, 8);
	at = LLVMBuildAdd(g->b, regs, gen_i64(g, g->unit->syscall_number), "");
	value = gen_variable(g);
	gen_store(g, gen_i64(g, 0), value);
	gen_call(g, GEN_READ_KERNEL, 3, value, gen_i64(g, sizeof(uint32_t)), at);
	return gen_load(g, value);
}

static const struct ir_site *first_site(const struct gen *g)
{
	return &g->unit->sites.v[g->fn->prog->first_site];
}

// The number of the call, below SP_SYSCALLS.
static LLVMValueRef call_number(struct gen *g)
{
	bool is_return = first_site(g)->args.syscall.flags & SP_SYSCALL_RETURN;
	LLVMValueRef number = is_return ? number_at_return(g) : gen_load_direct(g, g->fn->ctx, NUMBER_WORD, 8), is_known;

	is_known = LLVMBuildICmp(g->b, LLVMIntULT, number, gen_i64(g, SP_SYSCALLS), "");
	return gen_keep(g, LLVMBuildSelect(g->b, is_known, number, gen_i64(g, 0), ""));
}

// That of the site in `values`.
static LLVMValueRef value_by_number(struct gen *g, LLVMValueRef number, const uint32_t *values)
{
	const struct ir_site *sites = first_site(g);
	uint16_t table[SP_SYSCALLS] = { 0 };

	for (unsigned i = 0; i < g->fn->prog->n_sites; i++)
		table[sites[i].args.syscall.number] = (uint16_t)(values ? values[i] : i);
	return gen_load_sized(g, gen_at_index(g, gen_constant(g, (const char *)table, sizeof(table)),
					      LLVMBuildShl(g->b, number, gen_i64(g, 1), "")),
			      sizeof(uint16_t), false);
}

LLVMValueRef gen_site_index(struct gen *g)
{
	bool is_call = first_site(g)->kind == SP_SITE_SYSCALL;
	LLVMValueRef index, is_known;

	if (is_call)
		g->fn->kernel->call_number = call_number(g);
	index = is_call ? value_by_number(g, g->fn->kernel->call_number, NULL) : gen_call(g, GEN_ATTACH_COOKIE, 1, g->fn->ctx);
	if (g->fn->plan->shares_link)
		index = LLVMBuildAnd(g->b, index, gen_i64(g, UINT32_MAX), "");
	is_known = LLVMBuildICmp(g->b, LLVMIntULT, index, gen_i64(g, g->fn->prog->n_sites), "");
	return LLVMBuildSelect(g->b, is_known, index, gen_i64(g, 0), "");
}

LLVMValueRef gen_site_value(struct gen *g, const uint32_t *values)
{
	const char *bytes = (const char *)values;
	LLVMValueRef at;

	if (!g->fn->site)
		return gen_i64(g, values[0]);
	if (g->fn->kernel->call_number && !g->fn->callbacks && !g->fn->kernel->coroutine)
		return value_by_number(g, g->fn->kernel->call_number, values);
	at = LLVMBuildShl(g->b, g->fn->site, gen_i64(g, 2), "");
	return gen_load_sized(g, gen_at_index(g, gen_constant(g, bytes, g->fn->prog->n_sites * (uint32_t)sizeof(*values)), at),
			      sizeof(*values), false);
}
