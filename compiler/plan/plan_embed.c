// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_embed.h"

void plan_embed(const struct plan_env *env)
{
	for (size_t i = 0; i < env->unit->progs.n; i++) {
		const struct plan_prog *prog = &env->plan->progs[i];
		const struct embedded_piece *piece = prog->kernel_piece;
		struct diag *d;

		if (!piece || !prog->in_user)
			continue;
		d = diag(env->dc, ir_place_span(&piece->helper_place, env->sources), DIAG_EMBED_CODE,
			 "%s() is a helper of the kernel, and this handler runs outside of it", piece->kernel_helper);
		diag_note(env->dc, d, plan_span(env, env->unit->progs.v[i].place), "the handler is this one");
		diag_hint(env->dc, d, "handlers of begin, end, timers and of the user engine do not run in the kernel");
	}
}
