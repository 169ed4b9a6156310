// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_embed.h"

struct search {
	struct ir_unit *unit;
	bool *seen; // by function
	const struct ir_embed *found;
};

static void look(void *ctx, struct ir_expr *e)
{
	struct search *s = ctx;
	struct ir_visitor visitor = { .ctx = s, .expr = look };

	if (e->op == IR_EMBED && s->unit->embeds.v[e->index].kernel_helper) {
		s->found = &s->unit->embeds.v[e->index];
	} else if (e->op == IR_CALL && !s->seen[e->index]) {
		s->seen[e->index] = true;
		ir_walk_stmts(s->unit->funcs.v[e->index].body, &visitor);
	}
}

static const struct ir_embed *find(struct ir_unit *unit, const struct ir_prog *prog)
{
	struct search s = { .unit = unit, .seen = sp_calloc(unit->funcs.n + 1, sizeof(bool)) };
	struct ir_visitor visitor = { .ctx = &s, .expr = look };

	ir_walk_stmts(prog->body, &visitor);
	free(s.seen);
	return s.found;
}

void plan_embed(const struct plan_env *env)
{
	struct ir_unit *unit = env->unit;

	sp_vec_each(prog, &unit->progs) {
		const struct ir_embed *embed = prog->in_user && unit->embeds.n ? find(unit, prog) : NULL;
		struct diag *d;

		if (!embed)
			continue;
		if (prog->in_kernel) {
			prog->in_user = false;
			continue;
		}
		d = diag(env->dc, plan_span(env, embed->helper_place), DIAG_EMBED_CODE,
			 "%s() is a helper of the kernel, and this handler runs outside of it", embed->kernel_helper);
		diag_note(env->dc, d, plan_span(env, prog->place), "the handler is this one");
		diag_hint(env->dc, d, "handlers of begin, end, timers and of the user engine do not run in the kernel");
	}
}
