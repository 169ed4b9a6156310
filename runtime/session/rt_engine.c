// SPDX-License-Identifier: GPL-2.0-or-later
// Which engine runs the process() probes, and whose events they see.
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/machine/privilege.h"
#include "runtime/load/site.h"

bool rt_is_user_side(const struct spilert *rt, const struct sp_site *site)
{
	return site_is_session(site) || (rt->user_engine && site_is_process(site));
}

// Can the user engine run the bundle, and does it know what to trace?
static struct sp_err *check_user_engine(const struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;

	SP_TRY(attach_ptrace_check());
	if (!rt->target)
		return sp_err_new(SP_ERR_PRIVILEGE, "the user engine needs to know which process to probe: -c COMMAND or -x PID");
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		if (site_is_process(site) && !(bundle->progs[site->prog].flags & SP_PROG_IN_USER))
			return sp_err_new(SP_ERR_PRIVILEGE,
					  "probe %s: its handler uses what only the kernel has, so the user engine cannot run it",
					  bundle_text(bundle, site->point));
	}
	return NULL;
}

static const struct sp_site *first_of(const struct bundle *bundle, bool (*concerns)(const struct sp_site *site))
{
	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (concerns(&bundle->sites[i]))
			return &bundle->sites[i];
	return NULL;
}

static struct sp_err *check_kernel_engine(const struct bundle *bundle, bool (*concerns)(const struct sp_site *site))
{
	const struct sp_site *first = first_of(bundle, concerns);
	enum sp_site_kind had = SP_SITE_KIND_COUNT; // the kernel has hooks of this kind
	struct sp_err *err;

	if (!first)
		return NULL;
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		if (!concerns(site))
			continue;
		if (site->kind != had && !(site->flags & SP_SITE_OPTIONAL)) {
			SP_TRY(attach_check_site(bundle, i));
			had = site->kind;
		}
		if (!(bundle->progs[site->prog].flags & SP_PROG_IN_KERNEL))
			return sp_err_new(SP_ERR_PRIVILEGE, "probe %s: its handler cannot run in the kernel",
					  bundle_text(bundle, site->point));
	}
	err = privilege_check_bpf();
	return err ? sp_err_wrap(err, "cannot attach probe %s (%s)", bundle_text(bundle, first->point),
				 site_hook_name(first)) : NULL;
}

static bool is_kernel_site(const struct sp_site *site)
{
	return !site_is_session(site) && !site_is_process(site);
}

// The kernel does not run the process() probes, for a reason that is known; can the user engine?
struct sp_err *rt_fall_back(struct spilert *rt, struct sp_err *reason)
{
	sp_cleanup_free char *text = sp_err_text(reason);
	struct sp_err *err = check_user_engine(rt);

	if (err && !rt->target) {
		sp_err_free(err);
		return sp_err_wrap(reason, "cannot probe every process (-c COMMAND or -x PID would work, through ptrace)");
	}
	if (err) {
		sp_cleanup_free char *why = sp_err_text(err);

		sp_err_free(err);
		return sp_err_wrap(reason, "%s; nor does the kernel run it", why);
	}
	sp_err_free(reason);
	rt->user_engine = true;
	sp_log(&rt->log, SP_LOG_WARN,
	       "process probes run through ptrace, which is slower and sees the target and its children only: %s", text);
	return NULL;
}

struct sp_err *rt_choose_engine(struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;
	struct sp_err *err;

	SP_TRY(check_kernel_engine(bundle, is_kernel_site));
	if (!first_of(bundle, site_is_process))
		return NULL;
	switch (rt->opts.engine) {
	case SPILERT_ENGINE_USER:
		rt->user_engine = true;
		return check_user_engine(rt);
	case SPILERT_ENGINE_KERNEL:
		return check_kernel_engine(bundle, site_is_process);
	case SPILERT_ENGINE_AUTO:
		err = check_kernel_engine(bundle, site_is_process);
		return err ? rt_fall_back(rt, err) : NULL;
	}
	return sp_err_new(SP_ERR_USAGE, "there is no engine number %d", (int)rt->opts.engine);
}

// The first site in the kernel that is only for processes that run a certain program.
static const struct sp_site *first_for_program(const struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		if (rt->bundle->sites[i].program != SP_NONE && !rt_is_user_side(rt, &rt->bundle->sites[i]))
			return &rt->bundle->sites[i];
	return NULL;
}

// The map of processes is kept by tracepoints. Without them, -x falls back to the kernel's own filter, which is one
// process without its children; and nobody knows which process runs which program.
struct sp_err *rt_confine(struct spilert *rt)
{
	bool has_family = rt->target && !rt->user_engine && first_of(rt->bundle, site_is_process);
	const struct sp_site *site = first_for_program(rt);
	struct sp_err *err;

	if (!has_family && !site)
		return NULL;
	rt->not_confined = family_find_events(&rt->family_events);
	rt->confined = has_family && !rt->not_confined;
	rt->n_family = rt->not_confined ? 0 : FAMILY_MAX;
	if (!rt->not_confined || !site)
		return NULL;
	err = sp_err_wrap(rt->not_confined, "cannot attach probe %s", bundle_text(rt->bundle, site->point));
	rt->not_confined = NULL;
	return rt->opts.engine == SPILERT_ENGINE_AUTO && site_is_process(site) ? rt_fall_back(rt, err) : err;
}

// The kernel's own filter is that of uprobes; what happens to a process is told of all.
static bool is_event(const struct sp_site *site)
{
	return site_is_process(site) && site->kind != SP_SITE_UPROBE && site->kind != SP_SITE_URETPROBE;
}

void rt_tell_not_confined(struct spilert *rt)
{
	sp_cleanup_free char *text = NULL;

	if (!rt->not_confined || rt->user_engine)
		return;
	text = sp_err_text(rt->not_confined);
	sp_log(&rt->log, SP_LOG_WARN, "process probes see %s: %s",
	       rt->child.pid			  ? "all processes, not only those of -c" :
	       first_of(rt->bundle, is_event) ? "all processes, not only that of -x (in its functions and marks: without its children)" :
						"the process of -x, without its children",
	       text);
}

// The kernel may still refuse the uprobes when they are attached; then the user engine is asked to trace the process.
bool rt_may_trace_process(const struct spilert *rt)
{
	return rt->opts.pid && first_of(rt->bundle, site_is_process) &&
	       (rt->user_engine || rt->opts.engine == SPILERT_ENGINE_AUTO);
}
