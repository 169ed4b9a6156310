// SPDX-License-Identifier: GPL-2.0-or-later
// A session that is watched while it runs (--monitor, --web): its probes, with what they cost, and its variables; probes are switched off
// and on, and variables begin anew.
#include "runtime/session/rt.h"

#include "runtime/print/unread.h"

#include <errno.h>
#include <unistd.h>

static bool is_shown(const struct bundle *bundle, const struct sp_prog *prog)
{
	return prog->n_sites && bundle->sites[prog->first_site].kind != SP_SITE_CONDITION;
}

SP_EXPORT unsigned spilert_probes(const struct spilert *rt, struct spilert_probe *ret, unsigned max)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rt->bundle->n_progs; i++) {
		const struct sp_prog *prog = &rt->bundle->progs[i];
		uint64_t hits, ns;

		if (!is_shown(rt->bundle, prog))
			continue;
		if (n < max) {
			timing_total(&rt->timing, &rt->attach, i, &hits, &ns);
			ret[n] = (struct spilert_probe){ .number = i, .point = bundle_text(rt->bundle, rt->bundle->sites[prog->first_site].point),
							 .n_points = prog->n_sites, .hits = hits, .ns = ns,
							 .is_off = rt->watch.is_off[i], .is_disarmed = rt_is_disarmed(rt, i),
							 .is_fixed = !rt_can_switch(rt, i) };
		}
		n++;
	}
	return n;
}

SP_EXPORT void spilert_switch_probe(struct spilert *rt, unsigned number, int on)
{
	if (number >= rt->bundle->n_progs || !rt_can_switch(rt, number) || rt->watch.is_off[number] == !on)
		return;
	rt->watch.is_off[number] = !on;
	rt_finish(rt, rt_switch_prog(rt, number));
}

SP_EXPORT void spilert_pause(struct spilert *rt, int on)
{
	if (rt->watch.is_paused == !!on)
		return;
	rt->watch.is_paused = on;
	for (unsigned i = 0; i < rt->bundle->n_progs; i++) {
		if (on)
			rt->watch.goes_on[i] = !rt->watch.is_off[i];
		if (rt->watch.goes_on[i])
			spilert_switch_probe(rt, i, !on);
	}
}

SP_EXPORT int spilert_is_hurried(const struct spilert *rt)
{
	return rt->signalled;
}

SP_EXPORT int spilert_is_paused(const struct spilert *rt)
{
	return rt->watch.is_paused;
}

SP_EXPORT char *spilert_variables(const struct spilert *rt)
{
	const struct unread all = { .bundle = rt->bundle, .data = rt->data, .store = rt->store, .symbols = rt->symbols, .with_read = true };
	struct sp_buf text = { 0 };

	if (!rt->store)
		return NULL;
	unread_print(&text, &all);
	return sp_buf_take(&text);
}

// Handlers go on meanwhile, so each number changes at once.
static void reset_global(struct spilert *rt, const struct sp_global *global)
{
	char *at = (char *)rt->data + global->offset;
	const uint8_t *first = rt->bundle->data_init + global->offset;

	if (global->type == SP_STRING) {
		memcpy(at, first, global->size);
		return;
	}
	__atomic_store_n((uint64_t *)at, *(const uint64_t *)first, __ATOMIC_RELEASE);
}

SP_EXPORT void spilert_reset_variables(struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_globals; i++)
		if (bundle_shows_global(rt->bundle, &rt->bundle->globals[i]))
			reset_global(rt, &rt->bundle->globals[i]);
	for (unsigned i = 0; i < rt->bundle->n_maps; i++)
		if (bundle_shows_map(rt->bundle, &rt->bundle->maps[i]))
			store_clear(rt->store, i);
}

SP_EXPORT void spilert_stop(struct spilert *rt)
{
	rt->ending = true;
}

// ---- when ------------------------------------------------------------------------------------------------------------

struct sp_err *rt_watch_start(struct spilert *rt)
{
	const struct spilert_watch *watch = rt->opts.watch;
	struct itimerspec period = { 0 };

	if (!watch)
		return NULL;
	period.it_interval.tv_sec = watch->period_ms / 1000;
	period.it_interval.tv_nsec = (long)(watch->period_ms % 1000) * 1000000;
	period.it_value.tv_nsec = 1; // at once
	return attach_timerfd(CLOCK_MONOTONIC, 0, &period, &rt->watch.timer_fd);
}

void rt_watch_look(struct spilert *rt)
{
	attach_timerfd_take(rt->watch.timer_fd);
	rt->opts.watch->look(rt->opts.watch->ctx, rt);
}
