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
	if (!fn->plan->reads_site || fn->prog->n_sites < 2)
		return;
	site = gen_keep(g, gen_load(g, gen_at(g, fn->state, offsetof(struct plan_state, site))));
	is_known = LLVMBuildICmp(g->b, LLVMIntULT, site, gen_i64(g, fn->prog->n_sites), "");
	fn->site = gen_keep(g, LLVMBuildSelect(g->b, is_known, site, gen_i64(g, 0), ""));
}
