// SPDX-License-Identifier: GPL-2.0-or-later
// The begin handlers, then all probes, timers and the user engine; last the command may go.
#include "runtime/session/rt.h"

#include "runtime/attach/attach_multi.h"
#include "runtime/attach/attach_report.h"
#include "runtime/attach/attach_syscall.h"
#include "runtime/attach/attach_watch.h"
#include "runtime/base/cleanup.h"
#include "runtime/load/load.h"
#include "runtime/load/site.h"

#include <stdio.h>
#include <sys/resource.h>

#define PROGRESS_NS 1000000000u

static struct sp_err *run_begin(struct spilert *rt)
{
	unsigned n;
	sp_cleanup_free unsigned *order = rt_ordered_sites(rt->bundle, SP_SITE_BEGIN, &n);

	for (unsigned i = 0; i < n && !rt_is_over(rt); i++)
		SP_TRY(rt_run_handler(rt, order[i]));
	transport_flush(&rt->transport);
	rt_drain(rt); // before the command writes something
	rt->ending = rt_is_over(rt);
	rt->transport.drops = true;
	return NULL;
}

struct user_engine {
	struct spilert *rt;
	struct sp_err *err;
};

// A program that a process starts may be the new file of one that is probed.
static void programs_look(void *ctx)
{
	rt_programs_look(ctx);
}

// Where a library was unloaded, another one's functions may be.
static void code_look(void *ctx, pid_t pid)
{
	struct spilert *rt = ctx;

	symbols_see_changed(rt->symbols, pid);
	vm_forget_code(rt->vm);
}

static void attach_in_tracer(void *ctx)
{
	struct user_engine *ret = ctx;
	struct spilert *rt = ret->rt;
	struct attach_ptrace_input input = { .bundle = rt->bundle, .log = &rt->log, .handler = rt_process_handler,
					     .ctx = rt, .thread_ends = true,
					     .starts = programs_look, .maps = code_look };

	rt->ptrace = attach_ptrace_create(&input);
	ret->err = rt->child.pid ? attach_ptrace_child(rt->ptrace, rt->child.pid) : attach_ptrace_process(rt->ptrace, rt->target);
}

static struct sp_err *attach_user_engine(struct spilert *rt)
{
	struct user_engine engine = { .rt = rt };
	sp_cleanup_free const char **hooks = sp_calloc(rt->bundle->n_sites, sizeof(*hooks));

	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		hooks[i] = site_is_process(&rt->bundle->sites[i]) ? "breakpoint" : NULL;
	attach_report(rt->bundle, &rt->log, hooks, "the user engine");
	rt->transport.traces = true;
	SP_TRY(tracer_start(&rt->tracer));
	tracer_call(rt->tracer, attach_in_tracer, &engine);
	return engine.err;
}

// Some containers permit loading, but not attaching. Then not one uprobe is attached.
static bool can_fall_back(const struct spilert *rt, const struct sp_site *site, const struct sp_err *err)
{
	sp_vec_each(link, &rt->attach.links)
		if (site_is_process(&rt->bundle->sites[link->site]))
			return false;
	return rt->phase == RT_ATTACHED && err->code == SP_ERR_PRIVILEGE && site_is_process(site) && rt->opts.engine == SPILERT_ENGINE_AUTO &&
	       rt->target;
}

// Each second.
static void tell_attached(struct spilert *rt)
{
	uint64_t now = sp_now_ns();
	char text[64];

	if (!rt->progress_at)
		rt->progress_at = now;
	if (now - rt->progress_at < PROGRESS_NS)
		return;
	rt->progress_at = now;
	snprintf(text, sizeof(text), "attaching: %u of %u probes", rt->n_attached, rt->bundle->n_sites);
	rt_progress(rt, text);
}

// Attaches a program's sites, together if the kernel can.
static struct sp_err *attach_prog(struct spilert *rt, unsigned index, bool last_runs_first, struct sp_err **failures)
{
	const struct sp_prog *prog = &rt->bundle->progs[index];

	// The user engine has taken the process() probes over.
	if (prog->n_sites && !rt_is_user_side(rt, &rt->bundle->sites[prog->first_site]))
		attach_multi(&rt->attach, index, last_runs_first);
	for (unsigned i = prog->first_site; i < prog->first_site + prog->n_sites && !rt->ending; i++) {
		const struct sp_site *site = &rt->bundle->sites[i];

		if (rt_is_user_side(rt, site) || site_last_runs_first(site->kind) != last_runs_first)
			continue;
		failures[i] = rt_waits_for_module(rt, i) ? NULL : attach_site(&rt->attach, i);
		if (failures[i] && can_fall_back(rt, site, failures[i])) {
			struct sp_err *failure = failures[i];

			failures[i] = NULL;
			SP_TRY(rt_fall_back(rt, failure));
		}
		rt->n_attached++;
		tell_attached(rt);
		rt->ending = rt_is_interrupted(rt); // attaching thousands of sites takes long
	}
	return NULL;
}

// Is it a handler of process.begin?
static bool begins(const struct bundle *bundle, unsigned index)
{
	const struct sp_prog *prog = &bundle->progs[index];

	return prog->n_sites && bundle->sites[prog->first_site].flags & SP_SITE_BEGINS;
}

enum round { ROUND_BEGINS, ROUND_OTHERS };

static struct sp_err *attach_some(struct spilert *rt, enum round round, bool last_runs_first, struct sp_err **failures)
{
	unsigned n = rt->bundle->n_progs;

	if (round == ROUND_OTHERS)
		attach_multi_shared(&rt->attach, last_runs_first);
	for (unsigned i = 0; i < n && !rt->ending; i++) {
		unsigned prog = last_runs_first ? n - 1 - i : i;

		if (begins(rt->bundle, prog) == (round == ROUND_BEGINS) && !rt_is_disarmed(rt, prog))
			SP_TRY(attach_prog(rt, prog, last_runs_first, failures));
	}
	return NULL;
}

struct sp_err *rt_attach_prog(struct spilert *rt, unsigned prog, bool last_runs_first)
{
	const struct sp_prog *p = &rt->bundle->progs[prog];
	sp_cleanup_free struct sp_err **failures = sp_calloc(rt->bundle->n_sites, sizeof(struct sp_err *));
	struct sp_err *err = attach_prog(rt, prog, last_runs_first, failures);

	for (unsigned i = p->first_site; i < p->first_site + p->n_sites; i++) {
		if (failures[i] && !err && !(rt->bundle->sites[i].flags & SP_SITE_OPTIONAL))
			err = failures[i];
		else
			sp_err_free(failures[i]);
	}
	return err;
}

// Handlers of one place run in the order of the script, whichever way the kernel goes through them. Kretprobes come
// before kprobes: they take the return address away, by which the others know the caller.
static struct sp_err *attach_round(struct spilert *rt, enum round round, struct sp_err **failures)
{
	SP_TRY(attach_some(rt, round, false, failures));
	return attach_some(rt, round, true, failures);
}

// Handlers begin together, when all hooks are there: attaching makes system calls, opens files and takes locks, which is nothing that
// anybody wants to see. Processes that begin meanwhile are followed from the beginning on.
static void hold_handlers(struct spilert *rt, bool is_held)
{
	struct sp_control *control = rt->data;

	for (unsigned i = 0; i < rt->bundle->n_progs; i++)
		if (begins(rt->bundle, i))
			return;
	__atomic_store_n(&control->exiting, is_held ? SP_STARTING : 0, __ATOMIC_RELEASE);
}

static struct sp_err *attach_kernel_sites(struct spilert *rt)
{
	sp_cleanup_free struct sp_err **failures = sp_calloc(rt->bundle->n_sites, sizeof(struct sp_err *));
	struct sp_err *err = attach_round(rt, ROUND_BEGINS, failures);

	if (!err && !rt->user_engine && !rt->ending && rt_has_running(rt))
		err = rt_begin_running(rt);
	hold_handlers(rt, true);
	if (!err)
		err = attach_round(rt, ROUND_OTHERS, failures);
	if (!err && !rt->ending)
		err = attach_syscalls_end(&rt->attach);
	attach_settle(&rt->attach);
	hold_handlers(rt, false);
	rt_progress(rt, "");
	if (!err && !rt->ending)
		return attach_judge(&rt->attach, failures);
	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		sp_err_free(failures[i]);
	return err;
}

static struct sp_err *start_timers(struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_sites; i++) {
		struct attach_timer timer;

		if (rt->bundle->sites[i].kind != SP_SITE_TIMER)
			continue;
		SP_TRY(attach_timer_start(rt->bundle, i, &timer));
		sp_vec_push(&rt->timers, timer);
	}
	if (rt->opts.seconds > 0)
		SP_TRY(attach_deadline_start(rt->opts.seconds, &rt->deadline_fd));
	return NULL;
}

// They are closed together with the links.
static void take_events(struct spilert *rt, struct hooks *hooks)
{
	sp_vec_each(fd, &hooks->events)
		sp_vec_push(&rt->attach.others, *fd);
	hooks->events.n = 0;
}

static struct sp_err *follow_processes(struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;
	sp_cleanup_free struct family_program *programs = sp_calloc(bundle->n_objects, sizeof(*programs));
	sp_cleanup_free bool *wanted = sp_calloc(bundle->n_objects, sizeof(*wanted));
	struct family_input input = { .events = rt->family_events, .layout = &rt->attach.layout, .map_fd = load_map(rt->load, SP_MAP_FAMILY),
				      .root = rt->confined ? rt->target : 0, .is_running = !rt->child.pid,
				      .programs = programs };

	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (bundle->sites[i].program != SP_NONE)
			wanted[bundle->sites[i].program] = true;
	for (unsigned i = 0; i < bundle->n_objects; i++)
		if (wanted[i])
			programs[input.n_programs++] = (struct family_program){ bundle_text(bundle, bundle->objects[i].path),
										SP_FAMILY_PROGRAM(i) };
	SP_TRY(family_start(&input, &rt->family));
	take_events(rt, &rt->family.hooks);
	return NULL;
}

struct sp_err *rt_follow_program(struct spilert *rt, unsigned object)
{
	const struct family_program program = { bundle_text(rt->bundle, rt->bundle->objects[object].path), SP_FAMILY_PROGRAM(object) };

	SP_TRY(family_add_program(&rt->family, &program));
	take_events(rt, &rt->family.hooks);
	return NULL;
}

static struct sp_err *count_for_threads(struct spilert *rt)
{
	const struct counters_maps maps = { load_map(rt->load, SP_MAP_COUNTERS), load_map(rt->load, SP_MAP_SINCE),
					    load_map(rt->load, SP_MAP_COUNTS) };

	if (!counters_number(rt->bundle) || maps.events < 0)
		return NULL;
	SP_TRY(counters_start(rt->bundle, &maps, &rt->attach.layout, &rt->counters));
	take_events(rt, &rt->counters.hooks);
	return NULL;
}

static struct sp_err *watch_memory(void *ctx)
{
	struct spilert *rt = ctx;

	return attach_watch_start(&rt->attach);
}

// What is watched in the command's memory has an address when its program is mapped, and before it runs.
static struct sp_err *release(struct spilert *rt)
{
	if (!attach_watch_waits(&rt->attach))
		return child_release(&rt->child, rt->opts.command);
	return child_release_to_start(&rt->child, rt->opts.command, watch_memory, rt);
}

// The ring buffer has room for what two processors print in some milliseconds, which is how long the kernel lets others run first.
static void hurry(struct spilert *rt)
{
	rt->nice = getpriority(PRIO_PROCESS, 0);
	if (rt->ring)
		setpriority(PRIO_PROCESS, 0, rt->nice - 10); // of this thread, and where it may
}

struct sp_err *rt_attach(struct spilert *rt)
{
	rt_input_start(rt);
	SP_TRY(run_begin(rt));
	if (rt->ending)
		return NULL;
	SP_TRY(rt_overload_start(rt));
	if (rt->load) {
		// The kernel's own filter is one address space, without what the process starts.
		attach_init(&rt->attach, rt->bundle, rt->load, &rt->log, rt->confined ? 0 : rt->opts.pid);
		rt->attach.target = rt->target;
		rt->attach.is_confined = rt->confined;
		rt->attach.measured.is_wanted = rt->is_timed;
		rt->attach.target_waits = rt->child.pid > 0;
	}
	rt_programs_note(rt);
	if (rt->opts.unseen)
		rt->opts.unseen->start(rt);
	if (rt->load) {
		SP_TRY(rt_uevents_start(rt));
		if (rt->n_family)
			SP_TRY(follow_processes(rt));
		SP_TRY(count_for_threads(rt));
		SP_TRY(rt_arm_first(rt));
		rt_running_open(rt);
		SP_TRY(attach_kernel_sites(rt));
		if (rt->ending)
			return NULL;
		attach_report(rt->bundle, &rt->log, rt->attach.hooks, NULL);
		rt_tell_not_confined(rt);
	}
	layout_deinit(&rt->attach.layout);
	if (rt->user_engine)
		SP_TRY(attach_user_engine(rt));
	// Its threads wait at their events until they are asked for.
	if ((rt->user_engine || !rt->load) && rt_has_running(rt))
		SP_TRY(rt_begin_running(rt));
	SP_TRY(start_timers(rt));
	SP_TRY(rt_files_start(rt));
	SP_TRY(rt_iterate(rt));
	if (rt->child.pid)
		SP_TRY(release(rt));
	rt_programs_watch(rt);
	hurry(rt); // the command does not
	return rt_sandbox(rt);
}
