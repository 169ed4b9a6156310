// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_embed.h"

struct search {
	const struct plan *plan;
	bool *seen; // by function
	const struct embedded_piece *found;
};

static void look(void *ctx, const struct ir_expr *e)
{
	struct search *s = ctx;
	struct ir_visitor visitor = { .ctx = s, .expr = look };

	if (e->op == IR_EMBED && s->plan->embedded->pieces[e->index].kernel_helper) {
		s->found = &s->plan->embedded->pieces[e->index];
	} else if (e->op == IR_CALL && !s->seen[e->index]) {
		s->seen[e->index] = true;
		ir_walk_stmts(s->plan->unit->funcs.v[e->index].body, &visitor);
	}
}

static const struct embedded_piece *find(const struct plan *plan, const struct ir_prog *prog)
{
	struct search s = { .plan = plan, .seen = sp_calloc(plan->unit->funcs.n + 1, sizeof(bool)) };
	struct ir_visitor visitor = { .ctx = &s, .expr = look };

	ir_walk_stmts(prog->body, &visitor);
	free(s.seen);
	return s.found;
}

void plan_embed(const struct plan_env *env)
{
	for (size_t i = 0; i < env->unit->progs.n && env->plan->embedded->pieces; i++) {
		const struct ir_prog *prog = &env->unit->progs.v[i];
		const struct embedded_piece *piece = prog->in_user ? find(env->plan, prog) : NULL;
		struct diag *d;

		if (!piece)
			continue;
		if (prog->in_kernel) {
			env->plan->progs[i].in_user = false;
			continue;
		}
		d = diag(env->dc, ir_place_span(&piece->helper_place, env->sources), DIAG_EMBED_CODE,
			 "%s() is a helper of the kernel, and this handler runs outside of it", piece->kernel_helper);
		diag_note(env->dc, d, plan_span(env, prog->place), "the handler is this one");
		diag_hint(env->dc, d, "handlers of begin, end, timers and of the user engine do not run in the kernel");
	}
}
