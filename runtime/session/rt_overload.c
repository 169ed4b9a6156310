// SPDX-License-Identifier: GPL-2.0-or-later
// How much of the CPUs the handlers take: the kernel measures those that run there (BPF_ENABLE_STATS), run_handler() the others. Above
// --max-overhead they are paused until the share is right again: handlers have a credit, which grows with time and is spent by running.
// Above --overload, the script ends.
#include "runtime/session/rt.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOK_MS 10 // how often
#define PROGS_PER_MS 100 // and less often with many programs: to ask for one takes a microsecond
#define CREDIT_MS 100 // of the time that handlers may take, how much they may save
#define MOST_TOLD 10 // probes in the report
#define NS 1000000000.0

static unsigned period_ms(const struct spilert *rt)
{
	return LOOK_MS + rt->bundle->n_progs / PROGS_PER_MS;
}

static bool is_watched(const struct spilert *rt)
{
	return rt->opts.max_overhead > 0 || rt->opts.overload > 0;
}

int rt_overload_timeout(const struct spilert *rt)
{
	return is_watched(rt) ? (int)period_ms(rt) : -1;
}

static double n_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (double)n : 1;
}

static struct rt_spent spent_by(const struct spilert *rt, unsigned prog)
{
	struct rt_spent ret;

	timing_total(&rt->timing, &rt->attach, prog, &ret.runs, &ret.ns);
	return ret;
}

// The way to the handlers of system calls; and the handlers, when they are not measured.
static struct rt_spent spent_on_the_way(const struct spilert *rt)
{
	const struct attach_time *times = rt->attach.measured.times;
	struct rt_spent ret = { 0 };
	uint64_t handlers = 0;

	for (unsigned i = 0; times && i < rt->bundle->n_progs; i++)
		handlers += times[i].ns;
	sp_vec_each(way, &rt->attach.ways)
		timing_add_kernel(*way, &ret.runs, &ret.ns);
	ret.ns -= SP_MIN(ret.ns, handlers);
	return ret;
}

static uint64_t spent_by_all(const struct spilert *rt)
{
	uint64_t sum = spent_on_the_way(rt).ns;

	for (unsigned i = 0; i < rt->bundle->n_progs; i++)
		sum += spent_by(rt, i).ns;
	return sum;
}

struct sp_err *rt_overload_start(struct spilert *rt)
{
	struct rt_overload *o = &rt->overload;

	if (!is_watched(rt))
		return NULL;
	o->paused = rt_find_global(rt, SP_PAUSED_GLOBAL);
	if (rt->opts.max_overhead > 0 && !o->paused)
		sp_log(&rt->log, SP_LOG_WARN, "--max-overhead has no effect: the script has no handlers of events, or was compiled without it");
	o->before = sp_calloc(rt->bundle->n_progs + 1, sizeof(*o->before));
	o->looked_at = o->since = sp_now_ns();
	return NULL;
}

void rt_overload_end(struct spilert *rt)
{
	free(rt->overload.before);
	rt->overload.before = NULL;
}

// ---- pauses ----------------------------------------------------------------------------------------------------------

static void pause_or_go_on(struct spilert *rt, uint64_t passed, uint64_t spent)
{
	double rate = rt->opts.max_overhead * n_cpus();
	struct rt_overload *o = &rt->overload;

	o->credit += rate * (double)passed - (double)spent;
	o->credit = SP_MIN(o->credit, rate * CREDIT_MS * (NS / 1000));
	__atomic_store_n(o->paused, o->credit < 0, __ATOMIC_RELEASE);
}

// ---- the end ---------------------------------------------------------------------------------------------------------

struct share {
	unsigned prog; // n_progs: the way to those of system calls
	struct rt_spent spent;
};

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return x->spent.ns != y->spent.ns ? (x->spent.ns < y->spent.ns ? 1 : -1) : (int)x->prog - (int)y->prog;
}

static void tell_share(const struct spilert *rt, const struct share *share, double all)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf points = { 0 };

	if (share->prog == rt->bundle->n_progs)
		sp_buf_puts(&points, rt->attach.measured.times ? "the way to probes of system calls" : "probes of system calls");
	else
		bundle_put_points(rt->bundle, share->prog, &points);
	sp_log(&rt->log, SP_LOG_ERROR, "%.1f%% of the CPUs: %s, %" PRIu64 " runs of %" PRIu64 " ns", 100 * (double)share->spent.ns / all,
	       sp_buf_str(&points), share->spent.runs, share->spent.ns / SP_MAX(share->spent.runs, 1u));
}

// `before` becomes what has been spent up to now; the result, to be freed, is the difference.
static struct share *take_shares(struct spilert *rt)
{
	unsigned n = rt->bundle->n_progs;
	struct share *shares = sp_calloc(n + 1, sizeof(*shares));

	for (unsigned i = 0; i <= n; i++) {
		struct rt_spent now = i < n ? spent_by(rt, i) : spent_on_the_way(rt), *before = &rt->overload.before[i];

		now.ns = SP_MAX(now.ns, before->ns); // less: a handler has ended, and its way has not
		shares[i] = (struct share){ i, { now.runs - before->runs, now.ns - before->ns } };
		*before = now;
	}
	return shares;
}

static void judge(struct spilert *rt, uint64_t now)
{
	double seconds = rt->opts.overload_seconds > 0 ? rt->opts.overload_seconds : 1;
	struct rt_overload *o = &rt->overload;
	uint64_t passed = now - o->since, spent = o->spent - o->spent_before;
	double all = n_cpus() * (double)passed;
	sp_cleanup_free struct share *shares = NULL;
	unsigned n = rt->bundle->n_progs + 1;

	if ((double)passed < seconds * NS)
		return;
	o->since = now;
	o->spent_before = o->spent;
	shares = take_shares(rt);
	if ((double)spent <= rt->opts.overload * all)
		return;
	sp_log(&rt->log, SP_LOG_ERROR, "the handlers took %.1f%% of the CPUs for %.1f seconds, and may take %.1f%%: the script ends",
	       100 * (double)spent / all, (double)passed / NS, 100 * rt->opts.overload);
	qsort(shares, n, sizeof(*shares), compare_shares);
	for (unsigned i = 0; i < SP_MIN(n, (unsigned)MOST_TOLD) && shares[i].spent.ns; i++)
		tell_share(rt, &shares[i], all);
	o->has_ended = rt->ending = true;
}

void rt_overload_look(struct spilert *rt)
{
	struct rt_overload *o = &rt->overload;
	uint64_t now = sp_now_ns(), passed = now - o->looked_at, spent;

	if (!is_watched(rt) || passed < period_ms(rt) * 1000000ull)
		return;
	spent = SP_MAX(spent_by_all(rt), o->spent); // less: a handler has ended, and its way has not
	if (o->paused)
		pause_or_go_on(rt, passed, spent - o->spent);
	o->looked_at = now;
	o->spent = spent;
	if (rt->opts.overload > 0)
		judge(rt, now);
}
