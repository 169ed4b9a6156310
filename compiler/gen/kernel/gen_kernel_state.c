// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_state.h"

void gen_kernel_state_take(struct gen *g)
{
	struct gen_fn *fn = g->fn;
	LLVMValueRef site, is_known;

	fn->goes_on = gen_at(g, fn->state, offsetof(struct plan_state, goes_on));
	fn->kernel->budget = gen_at(g, fn->state, offsetof(struct plan_state, budget));
	if (fn->plan->keeps_match)
		fn->match = gen_at(g, fn->state, plan_state_size(g->plan, fn->plan));
	if (fn->is_shared || !fn->plan->reads_site || fn->prog->n_sites < 2)
		return;
	site = gen_keep(g, gen_load(g, gen_at(g, fn->state, offsetof(struct plan_state, site))));
	is_known = LLVMBuildICmp(g->b, LLVMIntULT, site, gen_i64(g, fn->prog->n_sites), "");
	fn->site = gen_keep(g, LLVMBuildSelect(g->b, is_known, site, gen_i64(g, 0), ""));
}

bool gen_kernel_state_keeps(const struct gen *g)
{
	return !g->fn->callbacks && !g->fn->kernel->coroutine;
}

LLVMValueRef gen_kernel_state_kept(struct gen *g, uint32_t map, unsigned builtin)
{
	struct gen_kept new = { .map = map, .builtin = builtin };

	sp_vec_each(known, &g->fn->kernel->kept)
		if (known->map == map && known->builtin == builtin)
			return known->variable;
	new.variable = gen_pointer(g);
	sp_vec_push(&g->fn->kernel->kept, new);
	return new.variable;
}
