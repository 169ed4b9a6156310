// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_rest.h"

#include "compiler/plan/plan_touch.h"

static bool has_rests(const struct ir_unit *unit)
{
	sp_vec_each(prog, &unit->progs)
		if (prog->deferral.rest != SP_NONE)
			return true;
	return false;
}

static void warn(const struct plan_env *env, uint32_t global, const struct ir_prog *user, const struct touch *use,
		 const struct ir_prog *cut)
{
	const char *name = plan_global_name(env->unit, global);
	struct diag *d;

	if (!name)
		return;
	if (use->reads || use->fetches)
		d = diag(env->dc, plan_span(env, user->place), DIAG_REST_LATE,
			 "'%s' is read in the kernel here, and what the rest of a handler does to it is seen late", name);
	else
		d = diag(env->dc, plan_span(env, user->place), DIAG_REST_LATE,
			 "'%s' is set in the kernel here, before the rests of handlers that met earlier events change it", name);
	diag_note(env->dc, d, plan_span(env, cut->place), "the rest of this handler runs outside of the kernel");
	if (user->deferral.stays.what)
		diag_note(env->dc, d, plan_span(env, user->deferral.stays.place), "the other handler stays in the kernel: %s",
			  user->deferral.stays.what);
}

static void warn_of_reads(const struct plan_env *env)
{
	sp_vec_each(cut, &env->unit->progs) {
		struct diag *d;

		if (cut->deferral.rest == SP_NONE || !cut->deferral.reads_late)
			continue;
		d = diag(env->dc, plan_span(env, cut->place), DIAG_REST_LATE,
			 "a part of this handler reads memory after the event, which may have changed by then");
		diag_note(env->dc, d, plan_span(env, cut->deferral.cause.place), "this part runs outside of the kernel: %s",
			  cut->deferral.cause.what);
	}
}

// `cut`: the handler whose rest changes globals; the first handler in the kernel that reads or sets each of them is told. Additions
// come to the same in any order.
static void look_at_rest(const struct plan_env *env, const struct touches *t, const struct ir_prog *cut, struct touch *const *kernel)
{
	const struct ir_unit *unit = env->unit;
	struct touch *late = sp_calloc(t->n + 1, sizeof(*late));

	touches_add(t, unit->progs.v[cut->deferral.rest].body, late);
	for (uint32_t global = 0; global < t->n; global++)
		for (size_t i = 0; i < unit->progs.n && (late[global].sets || late[global].adds); i++)
			if (kernel[i] && (kernel[i][global].reads || kernel[i][global].fetches || kernel[i][global].sets)) {
				warn(env, global, &unit->progs.v[i], &kernel[i][global], cut);
				break;
			}
	free(late);
}

void plan_rest(const struct plan_env *env, const struct plan_calls *calls)
{
	const struct ir_unit *unit = env->unit;
	struct touch **kernel;
	struct touches t;

	if (!has_rests(unit))
		return;
	warn_of_reads(env);
	touches_init(&t, env->plan, calls);
	kernel = sp_calloc(unit->progs.n, sizeof(*kernel));
	for (size_t i = 0; i < unit->progs.n; i++) {
		if (!env->plan->progs[i].in_kernel)
			continue;
		kernel[i] = sp_calloc(t.n + 1, sizeof(**kernel));
		touches_add(&t, unit->progs.v[i].body, kernel[i]);
	}
	sp_vec_each(prog, &unit->progs)
		if (prog->deferral.rest != SP_NONE)
			look_at_rest(env, &t, prog, kernel);
	for (size_t i = 0; i < unit->progs.n; i++)
		free(kernel[i]);
	free(kernel);
	touches_deinit(&t);
}
