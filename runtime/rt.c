// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/rt.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/fixup.h"
#include "runtime/privilege.h"
#include "runtime/site.h"
#include "runtime/supervise.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION // given by the makefile
#define PACKAGE_VERSION "unknown"
#endif
// MAXACTION counts rounds of loops, which the handlers do themselves. The VM counts instructions and so ends what has no
// loops: recursion.
#define STEPS_PER_ACTION 10000
#define MAX_BUNDLE_SIZE (256u << 20)

_Static_assert((int)SPILERT_ERROR == SP_LOG_ERROR && (int)SPILERT_DEBUG == SP_LOG_DEBUG, "levels are the same");

SP_EXPORT const char *spilert_version(void)
{
	return PACKAGE_VERSION;
}

// ---- log and status --------------------------------------------------------------------------------------------------

static void write_log(void *ctx, enum sp_log_level level, const char *text)
{
	const struct spilert *rt = ctx;

	if (level == SP_LOG_WARN && rt->opts.no_warnings)
		return;
	rt->opts.log(rt->opts.log_ctx, (enum spilert_level)level, text);
}

int rt_finish(const struct spilert *rt, struct sp_err *err)
{
	sp_cleanup_free char *text = NULL;
	int status;

	if (!err)
		return 0;
	text = sp_err_text(err);
	sp_log(&rt->log, SP_LOG_ERROR, "%s", text);
	status = sp_err_exit_status(err);
	sp_err_free(err);
	return status;
}

// Each phase follows the one before it, once.
static struct sp_err *enter_phase(struct spilert *rt, enum rt_phase phase)
{
	if (rt->failed || rt->phase + 1 != phase)
		return sp_err_new(SP_ERR_USAGE, "spilert: phases are open, prepare, load, attach, run, in this order");
	rt->phase = phase;
	return NULL;
}

static int leave_phase(struct spilert *rt, struct sp_err *err)
{
	if (err)
		rt->failed = true;
	return rt_finish(rt, err);
}

// ---- open ------------------------------------------------------------------------------------------------------------

static void copy_opts(struct spilert *rt, const struct spilert_opts *opts)
{
	size_t n = 0;

	rt->opts = (struct spilert_opts)SPILERT_OPTS_INIT;
	// A caller that was built with an older header knows fewer members.
	if (opts)
		memcpy(&rt->opts, opts, SP_MIN(opts->size, sizeof(*opts)));
	rt->opts.size = sizeof(rt->opts);
	if (rt->opts.out_fd < 0)
		rt->opts.out_fd = STDOUT_FILENO;
	if (rt->opts.command)
		rt->opts.command = sp_arena_strdup(&rt->arena, rt->opts.command);
	if (rt->opts.globals) {
		const char *const *from = rt->opts.globals;
		const char **to;

		while (from[n])
			n++;
		to = sp_arena_array(&rt->arena, const char *, n + 1);
		for (size_t i = 0; i < n; i++)
			to[i] = sp_arena_strdup(&rt->arena, from[i]);
		rt->opts.globals = to;
	}
	rt->log = (struct sp_log){ .ctx = rt, .write = rt->opts.log ? write_log : NULL,
				   .max_level = (enum sp_log_level)rt->opts.max_level };
}

static struct spilert *create(const struct spilert_opts *opts)
{
	struct spilert *rt = sp_calloc(1, sizeof(*rt));

	copy_opts(rt, opts);
	rt->child = (struct child){ .pidfd = -1, .go_fd = -1, .report_fd = -1 };
	rt->target_pidfd = rt->epoll_fd = rt->signal_fd = rt->deadline_fd = rt->attach.tracefs = -1;
	return rt;
}

static struct sp_err *check_opts(const struct spilert_opts *opts)
{
	if (opts->command && opts->pid)
		return sp_err_new(SP_ERR_USAGE, "a command (-c) and a process (-x) exclude each other");
	if (opts->pid < 0)
		return sp_err_new(SP_ERR_USAGE, "%d is not the number of a process", (int)opts->pid);
	if (!(opts->seconds >= 0))
		return sp_err_new(SP_ERR_USAGE, "the time to run for cannot be negative");
	return NULL;
}

// `path`: NULL when the bytes are not a file's.
static int open_bytes(struct spilert *rt, const char *path, const void *bytes, size_t size, struct spilert **ret)
{
	struct sp_err *err = check_opts(&rt->opts);
	int status;

	if (!err)
		err = bundle_open(bytes, size, &rt->bundle);
	if (err && path && err->code != SP_ERR_USAGE)
		err = sp_err_wrap(err, "%s", path);
	if (err) {
		status = rt_finish(rt, err);
		spilert_close(rt);
		return status;
	}
	*ret = rt;
	return 0;
}

SP_EXPORT int spilert_open_memory(const void *bytes, size_t size, const struct spilert_opts *opts, struct spilert **ret)
{
	return open_bytes(create(opts), NULL, bytes, size, ret);
}

static struct sp_err *read_file(const char *path, struct sp_buf *ret)
{
	sp_cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[65536];
	struct stat st;
	ssize_t size;

	if (fd < 0 || fstat(fd, &st))
		return sp_err_errno(errno, "cannot read %s", path);
	if (S_ISDIR(st.st_mode))
		return sp_err_errno(EISDIR, "cannot read %s", path);
	while ((size = read(fd, chunk, sizeof(chunk)))) {
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return sp_err_errno(errno, "cannot read %s", path);
		if (ret->len > MAX_BUNDLE_SIZE)
			return sp_err_new(SP_ERR_FORMAT, "%s is too large for a compiled script", path);
		sp_buf_add(ret, chunk, (size_t)size);
	}
	return NULL;
}

SP_EXPORT int spilert_open_file(const char *path, const struct spilert_opts *opts, struct spilert **ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	struct spilert *rt = create(opts);
	struct sp_err *err = read_file(path, &bytes);
	int status;

	if (!err && !bytes.len)
		err = sp_err_new(SP_ERR_FORMAT, "%s is empty", path);
	if (err) {
		// A file that may not be read is not a missing privilege for probes.
		if (err->code == SP_ERR_PRIVILEGE)
			err->code = SP_ERR_SYSTEM;
		status = rt_finish(rt, err);
		spilert_close(rt);
		return status;
	}
	return open_bytes(rt, path, bytes.data, bytes.len, ret);
}

// ---- prepare ---------------------------------------------------------------------------------------------------------

static void block_signals(struct spilert *rt)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	sigemptyset(&rt->signals);
	sigaddset(&rt->signals, SIGCHLD); // how the user engine learns of stops
	for (size_t i = 0; rt->opts.handle_signals && i < SP_ARRAY_SIZE(ending); i++)
		sigaddset(&rt->signals, ending[i]);
	pthread_sigmask(SIG_BLOCK, &rt->signals, &rt->old_signals);
	rt->signals_blocked = true;
}

static struct sp_err *find_target(struct spilert *rt)
{
	if (rt->opts.pid) {
		rt->target = rt->opts.pid;
		rt->target_pidfd = (int)syscall(SYS_pidfd_open, rt->target, 0);
		if (rt->target_pidfd >= 0 || errno == ENOSYS)
			return NULL;
		if (errno == ESRCH)
			return sp_err_new(SP_ERR_NOT_FOUND, "there is no process %d", (int)rt->target);
		if (errno == EINVAL || errno == ENOENT)
			return sp_err_new(SP_ERR_USAGE, "%d is a thread; -x takes a process", (int)rt->target);
		return sp_err_errno(errno, "cannot watch process %d", (int)rt->target);
	}
	if (rt->opts.command) {
		SP_TRY(child_spawn(rt->opts.command, &rt->old_signals, &rt->child));
		rt->target = rt->child.pid;
	}
	return NULL;
}

// Can the user engine run it, and is it known what to trace?
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
	struct sp_err *err;

	if (!first)
		return NULL;
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		if (!concerns(site))
			continue;
		SP_TRY(attach_check_site(bundle, i));
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

// Why the kernel does not run the process() probes is known; does the user engine?
static struct sp_err *fall_back(struct spilert *rt, struct sp_err *reason)
{
	sp_cleanup_free char *text = sp_err_text(reason);
	struct sp_err *err = check_user_engine(rt);

	if (err && !rt->target) {
		sp_err_free(err);
		return sp_err_wrap(reason, "cannot probe every process (-c COMMAND or -x PID would work, through ptrace)");
	}
	sp_err_free(reason);
	if (err)
		return err;
	rt->user_engine = true;
	sp_log(&rt->log, SP_LOG_WARN,
	       "process probes run through ptrace, which is slower and sees the target and its children only: %s", text);
	return NULL;
}

static struct sp_err *choose_engine(struct spilert *rt)
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
		return err ? fall_back(rt, err) : NULL;
	}
	return sp_err_new(SP_ERR_USAGE, "there is no engine number %d", (int)rt->opts.engine);
}

static bool is_user_side(const struct spilert *rt, const struct sp_site *site);

// A site in the kernel that is for those alone that run a certain program.
static const struct sp_site *first_for_program(const struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		if (rt->bundle->sites[i].program && !is_user_side(rt, &rt->bundle->sites[i]))
			return &rt->bundle->sites[i];
	return NULL;
}

// Without the events the kernel's own filter has to do for -x: one process, without what it starts. Who runs which program
// is not known without them.
static struct sp_err *confine(struct spilert *rt)
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
	err = rt->not_confined;
	rt->not_confined = NULL;
	return sp_err_wrap(err, "cannot attach probe %s", bundle_text(rt->bundle, site->point));
}

static void tell_not_confined(struct spilert *rt)
{
	sp_cleanup_free char *text = NULL;

	if (!rt->not_confined || rt->user_engine)
		return;
	text = sp_err_text(rt->not_confined);
	sp_log(&rt->log, SP_LOG_WARN, "process probes see %s: %s",
	       rt->child.pid ? "all processes, not only those of -c" : "the process of -x, without its children", text);
}

static struct sp_err *prepare(struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;
	struct fixup_input input = { .bundle = bundle, .globals = rt->opts.globals };

	SP_TRY(enter_phase(rt, RT_PREPARED));
	SP_TRY(fixup_check_target(bundle));
	block_signals(rt);
	SP_TRY(find_target(rt));
	SP_TRY(choose_engine(rt));
	SP_TRY(confine(rt));
	rt->slots = sp_calloc(bundle->head->n_slots, sizeof(*rt->slots));
	rt->own_data = sp_malloc(bundle->head->data_size);
	memcpy(rt->own_data, bundle->data_init, bundle->head->data_size);
	rt->data = rt->own_data;
	input.target = rt->target;
	input.confined = rt->confined;
	return fixup_apply(&input, rt->slots, rt->own_data);
}

SP_EXPORT int spilert_prepare(struct spilert *rt)
{
	return leave_phase(rt, prepare(rt));
}

// The kernel may yet refuse the uprobes, when they are attached.
static bool may_trace_process(const struct spilert *rt)
{
	return rt->opts.pid && first_of(rt->bundle, site_is_process) &&
	       (rt->user_engine || rt->opts.engine == SPILERT_ENGINE_AUTO);
}

SP_EXPORT int spilert_supervise(struct spilert *rt, int *status_ret)
{
	struct sp_err *err;
	bool is_worker;

	if (rt->failed || rt->phase != RT_PREPARED)
		err = sp_err_new(SP_ERR_USAGE, "spilert: supervise comes after prepare");
	else if (!may_trace_process(rt))
		return 0;
	else
		err = supervise(&rt->signals, &is_worker, status_ret);
	if (err) {
		*status_ret = leave_phase(rt, err);
		return 1;
	}
	if (!is_worker)
		return 1;
	sigaddset(&rt->signals, SIGTERM); // the parent's death
	return 0;
}

// ---- load ------------------------------------------------------------------------------------------------------------

// Runs in this process.
static bool is_user_side(const struct spilert *rt, const struct sp_site *site)
{
	return site_is_session(site) || (rt->user_engine && site_is_process(site));
}

static struct sp_err *load_kernel(struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;
	sp_cleanup_free bool *wanted = sp_calloc(bundle->n_progs, sizeof(*wanted));
	struct load_input input = { .bundle = bundle, .log = &rt->log, .prog_wanted = wanted, .data = rt->own_data,
				    .slots = rt->slots, .n_family = rt->n_family };
	bool any = false;

	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		if (is_user_side(rt, site))
			continue;
		wanted[site->prog] = any = true;
	}
	if (!any)
		return NULL;
	if (rt->opts.timing)
		SP_TRY(timing_start_kernel(&rt->timing));
	SP_TRY(load_create(&input, &rt->load));
	if (load_data(rt->load))
		rt->data = load_data(rt->load);
	if (load_events_fd(rt->load) >= 0) {
		rt->ring = ring_buffer__new(load_events_fd(rt->load), rt_take_record, rt, NULL);
		if (!rt->ring)
			return sp_err_errno(errno, "cannot map the ring buffer");
	}
	return NULL;
}

// Handlers count their rounds themselves; this ends a .spo whose handlers do not.
static uint64_t max_steps(const struct spilert *rt)
{
	const struct sp_control *control = rt->data;
	uint64_t rounds = SP_MAX(control->max_action, control->max_user_action);

	if (!rt->bundle->head->max_action || rounds > UINT64_MAX / STEPS_PER_ACTION)
		return 0;
	return rounds * STEPS_PER_ACTION;
}

// May records that come from the kernel have addresses?
static bool names_addresses(const struct bundle *bundle)
{
	for (unsigned i = 0; i < bundle->n_fields; i++)
		if (bundle->fields[i].type == SP_SYMBOLS)
			return true;
	return false;
}

static struct sp_err *load(struct spilert *rt)
{
	struct vm_env env = { .bundle = rt->bundle, .slots = rt->slots, .transport = &rt->transport };

	SP_TRY(enter_phase(rt, RT_LOADED));
	timing_init(&rt->timing, rt->bundle);
	SP_TRY(load_kernel(rt));
	rt->store = store_create(rt->bundle, rt->load ? load_map_fds(rt->load) : NULL);
	transport_init(&rt->transport, rt->bundle, &rt->log, rt->opts.out_fd);
	rt->symbols = symbols_create(rt->target);
	if (rt->ring && names_addresses(rt->bundle))
		symbols_listen(rt->symbols);
	rt->transport.symbols = rt->symbols;
	rt->transport.signals = &rt->old_signals;
	rt->transport.no_warnings = rt->opts.no_warnings;
	rt->transport.errors_are_warnings = rt->opts.suppress_handler_errors;
	if (rt->opts.suppress_handler_errors)
		((struct sp_control *)rt->data)->max_errors = UINT64_MAX;
	env.store = rt->store;
	env.data = rt->data;
	env.max_steps = max_steps(rt);
	rt->vm = vm_create(&env);
	return NULL;
}

SP_EXPORT int spilert_load(struct spilert *rt)
{
	return leave_phase(rt, load(rt));
}

// ---- attach ----------------------------------------------------------------------------------------------------------

static struct sp_err *run_handler(struct spilert *rt, unsigned index, const struct vm_task *task, const void *regs,
				  size_t size)
{
	const struct sp_site *site = &rt->bundle->sites[index];
	uint64_t start = rt->opts.timing ? timing_now() : 0;
	struct sp_err *err =
		vm_run(rt->vm, site->prog, index - rt->bundle->progs[site->prog].first_site, task, regs, size);

	if (rt->opts.timing)
		timing_add(&rt->timing, site->prog, start);
	return err;
}

struct sp_err *rt_run_handler(struct spilert *rt, unsigned index)
{
	struct vm_task task;

	vm_task_self(&task);
	return run_handler(rt, index, &task, NULL, 0);
}

void rt_process_handler(void *ctx, unsigned index, const struct vm_task *task, const void *regs, size_t size)
{
	struct spilert *rt = ctx;
	struct sp_err *err;

	if (rt_is_over(rt))
		return;
	err = run_handler(rt, index, task, regs, size);
	if (err) {
		rt_finish(rt, err);
		rt->failed = rt->ending = true;
	}
}

unsigned *rt_ordered_sites(const struct bundle *bundle, enum sp_site_kind kind, unsigned *n_ret)
{
	unsigned *order = sp_calloc(bundle->n_sites, sizeof(*order)), n = 0;

	// By insertion: few, and equal numbers keep the script's order.
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		unsigned at = n;

		if (bundle->sites[i].kind != kind)
			continue;
		for (; at > 0 && bundle->sites[order[at - 1]].arg > bundle->sites[i].arg; at--)
			order[at] = order[at - 1];
		order[at] = i;
		n++;
	}
	*n_ret = n;
	return order;
}

bool rt_is_over(const struct spilert *rt)
{
	return rt->ending || rt->transport.exiting || rt->transport.failed;
}

static struct sp_err *run_begin(struct spilert *rt)
{
	unsigned n;
	sp_cleanup_free unsigned *order = rt_ordered_sites(rt->bundle, SP_SITE_BEGIN, &n);

	for (unsigned i = 0; i < n && !rt_is_over(rt); i++)
		SP_TRY(rt_run_handler(rt, order[i]));
	transport_flush(&rt->transport);
	rt->ending = rt_is_over(rt);
	return NULL;
}

static struct sp_err *attach_user_engine(struct spilert *rt)
{
	struct attach_ptrace_input input = { .bundle = rt->bundle, .log = &rt->log, .handler = rt_process_handler,
					     .ctx = rt };

	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		if (site_is_process(&rt->bundle->sites[i]))
			sp_log(&rt->log, SP_LOG_INFO, "probe %s: breakpoint: the user engine",
			       bundle_text(rt->bundle, rt->bundle->sites[i].point));
	rt->ptrace = attach_ptrace_create(&input);
	if (rt->child.pid)
		return attach_ptrace_child(rt->ptrace, rt->child.pid);
	return attach_ptrace_process(rt->ptrace, rt->target);
}

// Loading was permitted and attaching is not: some containers are like that. Then not one uprobe is attached.
static bool can_fall_back(const struct spilert *rt, const struct sp_site *site, const struct sp_err *err)
{
	sp_vec_each(link, &rt->attach.links)
		if (site_is_process(&rt->bundle->sites[link->site]))
			return false;
	return err->code == SP_ERR_PRIVILEGE && site_is_process(site) && rt->opts.engine == SPILERT_ENGINE_AUTO &&
	       rt->target;
}

// A function that a wildcard found and that may not be probed does not stop the others of the same `probe`.
static struct sp_err *judge_failures(struct spilert *rt, struct sp_err *const *failures)
{
	struct sp_err *err = NULL;

	for (unsigned i = 0; i < rt->bundle->n_sites; i++) {
		sp_cleanup_free char *text = NULL;

		if (!failures[i])
			continue;
		if (!attach_has_sibling(&rt->attach, i) && !err) {
			err = failures[i];
			continue;
		}
		text = sp_err_text(failures[i]);
		sp_log(&rt->log, SP_LOG_WARN, "%s", text);
		sp_err_free(failures[i]);
	}
	return err;
}

static struct sp_err *attach_some(struct spilert *rt, bool returns, struct sp_err **failures)
{
	for (unsigned i = 0; i < rt->bundle->n_sites; i++) {
		const struct sp_site *site = &rt->bundle->sites[i];

		// Once the user engine has the process() probes, they are not for here.
		if (is_user_side(rt, site) || (site->kind == SP_SITE_KRETPROBE) != returns)
			continue;
		failures[i] = attach_site(&rt->attach, i);
		if (failures[i] && can_fall_back(rt, site, failures[i])) {
			struct sp_err *failure = failures[i];

			failures[i] = NULL;
			SP_TRY(fall_back(rt, failure));
		}
	}
	return NULL;
}

// Of the kprobes at a function the last one runs first, and that of a return takes the return address away, by which
// others know the caller.
static struct sp_err *attach_kernel_sites(struct spilert *rt)
{
	sp_cleanup_free struct sp_err **failures = sp_calloc(rt->bundle->n_sites, sizeof(struct sp_err *));
	struct sp_err *err = attach_some(rt, true, failures);

	if (!err)
		err = attach_some(rt, false, failures);
	if (!err)
		return judge_failures(rt, failures);
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

static struct sp_err *follow_processes(struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;
	sp_cleanup_free struct family_program *programs = sp_calloc(bundle->n_objects, sizeof(*programs));
	sp_cleanup_free bool *wanted = sp_calloc(bundle->n_objects, sizeof(*wanted));
	struct family_input input = { .events = rt->family_events, .map_fd = load_family_fd(rt->load),
				      .root = rt->confined ? rt->target : 0, .is_running = !rt->child.pid,
				      .programs = programs };

	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (bundle->sites[i].program)
			wanted[bundle->sites[i].program - 1] = true;
	for (unsigned i = 0; i < bundle->n_objects; i++)
		if (wanted[i])
			programs[input.n_programs++] = (struct family_program){ bundle_text(bundle, bundle->objects[i].path),
										SP_FAMILY_PROGRAM(i) };
	SP_TRY(family_start(&input, &rt->family));
	sp_vec_each(fd, &rt->family.events)
		sp_vec_push(&rt->attach.others, *fd);
	rt->family.events.n = 0;
	return NULL;
}

static struct sp_err *attach(struct spilert *rt)
{
	SP_TRY(enter_phase(rt, RT_ATTACHED));
	SP_TRY(run_begin(rt));
	if (rt->ending)
		return NULL;
	if (rt->load) {
		// The kernel's own filter is one address space, without what the process starts.
		attach_init(&rt->attach, rt->bundle, rt->load, &rt->log, rt->confined ? 0 : rt->opts.pid);
		if (rt->n_family)
			SP_TRY(follow_processes(rt));
		attach_together(&rt->attach);
		SP_TRY(attach_kernel_sites(rt));
		tell_not_confined(rt);
	}
	if (rt->user_engine)
		SP_TRY(attach_user_engine(rt));
	SP_TRY(start_timers(rt));
	return rt->child.pid ? child_release(&rt->child, rt->opts.command) : NULL;
}

SP_EXPORT int spilert_attach(struct spilert *rt)
{
	return leave_phase(rt, attach(rt));
}

// ---- run and close ---------------------------------------------------------------------------------------------------

SP_EXPORT int spilert_run(struct spilert *rt)
{
	struct sp_err *err = enter_phase(rt, RT_RAN);

	return err ? leave_phase(rt, err) : rt_run(rt);
}

SP_EXPORT int spilert_command_status(const struct spilert *rt)
{
	return rt->child.status;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

SP_EXPORT void spilert_close(struct spilert *rt)
{
	if (!rt)
		return;
	rt_drop_ptrace(rt);
	attach_deinit(&rt->attach);
	family_stop(&rt->family);
	sp_err_free(rt->not_confined);
	child_deinit(&rt->child);
	sp_vec_each(timer, &rt->timers)
		attach_timer_stop(timer);
	sp_vec_deinit(&rt->timers);
	close_fd(&rt->epoll_fd);
	close_fd(&rt->signal_fd);
	close_fd(&rt->deadline_fd);
	close_fd(&rt->target_pidfd);
	vm_destroy(rt->vm);
	ring_buffer__free(rt->ring);
	store_destroy(rt->store);
	load_destroy(rt->load);
	if (rt->phase >= RT_LOADED) {
		transport_deinit(&rt->transport);
		symbols_destroy(rt->symbols);
		timing_deinit(&rt->timing);
	}
	free(rt->own_data);
	free(rt->slots);
	bundle_close(rt->bundle);
	if (rt->signals_blocked)
		pthread_sigmask(SIG_SETMASK, &rt->old_signals, NULL);
	sp_arena_deinit(&rt->arena);
	free(rt);
}
