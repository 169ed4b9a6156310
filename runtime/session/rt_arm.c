// SPDX-License-Identifier: GPL-2.0-or-later
// Probes with conditions (`probe P if (x > 3)`) are attached while their condition holds. It is asked before probes are attached, behind
// each handler that runs here, and every ARM_MS, since handlers in the kernel change globals, too. Meanwhile the handlers test it
// themselves.
#include "runtime/session/rt.h"

#include "runtime/load/site.h"

static bool can_be_disarmed(const struct bundle *bundle, const struct sp_prog *prog)
{
	for (unsigned i = prog->first_site; i < prog->first_site + prog->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		// The first three are one program for many probes, or for a moment; the fourth waits for its process.
		if (site->kind == SP_SITE_SYSCALL || site->kind == SP_SITE_ITER || site->kind == SP_SITE_RUNNING ||
		    (site->kind == SP_SITE_WATCH && site->object != SP_NONE))
			return false;
	}
	return true;
}

static const struct rt_condition *condition_of(const struct spilert *rt, unsigned prog)
{
	sp_vec_each(condition, &rt->conditions)
		if (condition->number == rt->bundle->progs[prog].condition)
			return condition;
	return NULL;
}

bool rt_is_disarmed(const struct spilert *rt, unsigned prog)
{
	const struct rt_condition *condition = rt->conditions.n ? condition_of(rt, prog) : NULL;

	if (rt->watch.is_off[prog])
		return true;
	return condition && !condition->is_armed && can_be_disarmed(rt->bundle, &rt->bundle->progs[prog]);
}

// A return probe may have a program at the entry, too, which has the condition as well.
static void tell(const struct spilert *rt, const struct rt_condition *condition, bool is_first)
{
	const char *was_told = "";

	for (unsigned i = 0; i < rt->bundle->n_progs && (!is_first || !condition->is_armed); i++) {
		const struct sp_prog *prog = &rt->bundle->progs[i];
		const char *point = prog->n_sites ? bundle_text(rt->bundle, rt->bundle->sites[prog->first_site].point) : "";

		if (prog->condition != condition->number || !can_be_disarmed(rt->bundle, prog) || sp_streq(point, was_told))
			continue;
		was_told = point;
		sp_log(&rt->log, SP_LOG_INFO, "probe %s%s: %s", point, prog->n_sites > 1 ? " and others" : "",
		       condition->is_armed ? "armed, its condition holds" : "disarmed until its condition holds");
	}
}

// Returns whether the condition has changed.
static struct sp_err *ask(struct spilert *rt, struct rt_condition *condition, bool *changed_ret)
{
	bool was_armed = condition->is_armed;

	SP_TRY(rt_run_handler(rt, condition->site));
	condition->is_armed = __atomic_load_n(condition->result, __ATOMIC_ACQUIRE);
	*changed_ret = condition->is_armed != was_armed;
	return NULL;
}

struct sp_err *rt_arm_first(struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_sites; i++) {
		const struct sp_site *site = &rt->bundle->sites[i];
		struct rt_condition condition = { .site = i, .number = (uint32_t)site->args.condition.number };
		bool changed;

		if (site->kind != SP_SITE_CONDITION)
			continue;
		condition.result = rt_find_global(rt, bundle_text(rt->bundle, site->symbol));
		if (!condition.result)
			return sp_err_new(SP_ERR_FORMAT, "the bundle has no global `%s`", bundle_text(rt->bundle, site->symbol));
		SP_TRY(ask(rt, &condition, &changed));
		sp_vec_push(&rt->conditions, condition);
		tell(rt, &sp_vec_last(&rt->conditions), true);
	}
	rt->arm_at = sp_now_ns();
	return NULL;
}

static struct sp_err *arm(struct spilert *rt, uint32_t number)
{
	rt->progress_at = 0;
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < rt->bundle->n_progs; i++)
			if (rt->bundle->progs[i].condition == number && can_be_disarmed(rt->bundle, &rt->bundle->progs[i]) && !rt_is_disarmed(rt, i))
				SP_TRY(rt_attach_prog(rt, i, round > 0));
	attach_settle(&rt->attach);
	rt_progress(rt, "");
	return NULL;
}

void rt_detach_part(struct spilert *rt, uint32_t prog, uint32_t object)
{
	const struct attach_part part = { prog, object };

	if (!rt->account.bundle)
		account_init(&rt->account, rt->bundle);
	account_take(&rt->account, &rt->attach, &part);
	attach_detach_part(&rt->attach, &part);
}

static void disarm(struct spilert *rt, uint32_t number)
{
	for (unsigned i = 0; i < rt->bundle->n_progs; i++)
		if (rt->bundle->progs[i].condition == number && can_be_disarmed(rt->bundle, &rt->bundle->progs[i]))
			rt_detach_part(rt, i, SP_NONE);
}

static bool runs_in_kernel(const struct spilert *rt, const struct sp_prog *prog)
{
	return rt->load && !rt_is_user_side(rt, &rt->bundle->sites[prog->first_site]);
}

// Handlers of the script's beginning and end run once, and the rest of another one belongs to that.
bool rt_can_switch(const struct spilert *rt, unsigned prog)
{
	const struct sp_prog *p = &rt->bundle->progs[prog];
	unsigned kind = p->n_sites ? rt->bundle->sites[p->first_site].kind : SP_SITE_BEGIN;

	if (kind == SP_SITE_BEGIN || kind == SP_SITE_END || kind == SP_SITE_ERROR || kind == SP_SITE_CONDITION)
		return false;
	return !runs_in_kernel(rt, p) || can_be_disarmed(rt->bundle, p);
}

// Handlers that run here are passed over by run_handler().
struct sp_err *rt_switch_prog(struct spilert *rt, unsigned prog)
{
	if (!runs_in_kernel(rt, &rt->bundle->progs[prog]))
		return NULL;
	if (rt->watch.is_off[prog]) {
		rt_detach_part(rt, prog, SP_NONE);
		return NULL;
	}
	if (rt_is_disarmed(rt, prog)) // by its condition
		return NULL;
	for (int round = 0; round < 2; round++)
		SP_TRY(rt_attach_prog(rt, prog, round > 0));
	attach_settle(&rt->attach);
	return NULL;
}

struct sp_err *rt_arm(struct spilert *rt)
{
	uint64_t now = sp_now_ns();
	bool changed;

	if (!rt->conditions.n || (now - rt->arm_at < ARM_MS * 1000000u && !rt->ran_handler))
		return NULL;
	rt->arm_at = now;
	for (size_t i = 0; i < rt->conditions.n && !rt_is_over(rt); i++) {
		SP_TRY(ask(rt, &rt->conditions.v[i], &changed));
		if (!changed)
			continue;
		if (rt->conditions.v[i].is_armed)
			SP_TRY(arm(rt, rt->conditions.v[i].number));
		else
			disarm(rt, rt->conditions.v[i].number);
		tell(rt, &rt->conditions.v[i], false);
	}
	rt->ran_handler = false; // those of the conditions
	return NULL;
}
