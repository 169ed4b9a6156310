// SPDX-License-Identifier: GPL-2.0-or-later
// Tracepoints of system calls have no attach cookie: the number of the call tells the site.
#include "compiler/gen/kernel/gen_syscall.h"

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

// The bytes of the table are the sites' indexes by number.
static LLVMValueRef index_by_number(struct gen *g)
{
	const struct ir_prog *prog = g->fn->prog;
	const struct ir_site *sites = &g->unit->sites.v[prog->first_site];
	bool is_return = sites[0].args.syscall.flags & SP_SYSCALL_RETURN;
	LLVMValueRef number = is_return ? number_at_return(g) : gen_load_direct(g, g->fn->ctx, NUMBER_WORD, 8), is_known;
	uint16_t table[SP_SYSCALLS] = { 0 };

	for (unsigned i = 0; i < prog->n_sites; i++)
		table[sites[i].args.syscall.number] = (uint16_t)i;
	is_known = LLVMBuildICmp(g->b, LLVMIntULT, number, gen_i64(g, SP_SYSCALLS), "");
	number = gen_keep(g, LLVMBuildSelect(g->b, is_known, number, gen_i64(g, 0), ""));
	return gen_load_sized(g, gen_at_index(g, gen_constant(g, (const char *)table, sizeof(table)),
					      LLVMBuildShl(g->b, number, gen_i64(g, 1), "")),
			      sizeof(uint16_t), false);
}

LLVMValueRef gen_site_index(struct gen *g)
{
	const struct ir_prog *prog = g->fn->prog;
	bool is_call = g->unit->sites.v[prog->first_site].kind == SP_SITE_SYSCALL;
	LLVMValueRef index = is_call ? index_by_number(g) : gen_call(g, GEN_ATTACH_COOKIE, 1, g->fn->ctx);
	LLVMValueRef is_known = LLVMBuildICmp(g->b, LLVMIntULT, index, gen_i64(g, prog->n_sites), "");

	return LLVMBuildSelect(g->b, is_known, index, gen_i64(g, 0), "");
}
