// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_embed.h"

// The handler that the program is the rest of; NULL: it is a handler.
static const struct ir_prog *rest_of(const struct ir_unit *unit, size_t prog)
{
	sp_vec_each(other, &unit->progs)
		if (other->deferral.rest == prog)
			return other;
	return NULL;
}

void plan_embed(const struct plan_env *env)
{
	for (size_t i = 0; i < env->unit->progs.n; i++) {
		const struct plan_prog *prog = &env->plan->progs[i];
		const struct embedded_piece *piece = prog->kernel_piece;
		const struct ir_prog *cut;
		bool is_at_home = piece && env->unit->progs.v[i].kind == SP_PROG_USER && embedded_runs_outside(piece);
		struct diag *d;

		if (!piece || !prog->in_user)
			continue;
		if (piece->kernel_helper && !is_at_home)
			d = diag(env->dc, ir_place_span(&piece->helper_place, env->sources), DIAG_EMBED_CODE,
				 "%s() is a helper of the kernel, and this handler runs outside of it", piece->kernel_helper);
		else if (piece->has_members && env->plan->embedded->is_kept)
			d = diag(env->dc, ir_place_span(&piece->members_place, env->sources), DIAG_EMBED_CODE,
				 "embedded C in a handler outside of the kernel reads members of the kernel's structures, which another "
				 "kernel has elsewhere");
		else
			continue;
		cut = rest_of(env->unit, i);
		if (cut)
			diag_note(env->dc, d, plan_span(env, cut->deferral.cause.place), "the rest of the handler does, from here on: %s",
				  cut->deferral.cause.what);
		else
			diag_note(env->dc, d, plan_span(env, env->unit->progs.v[i].place), "the handler is this one");
		if (piece->kernel_helper && !is_at_home)
			diag_hint(env->dc, d, "handlers of begin, end, timers and of the user engine do not run in the kernel");
		else
			diag_hint(env->dc, d, "run the script without keeping it, or read @cast(...)->member in the script language");
	}
}
