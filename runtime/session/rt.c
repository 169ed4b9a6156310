// SPDX-License-Identifier: GPL-2.0-or-later
// A run: its log, and its phases from opening to closing.
#define _GNU_SOURCE // syscall

#include "runtime/session/rt.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/load/fixup.h"
#include "runtime/load/pack.h"
#include "runtime/machine/privilege.h"
#include "runtime/print/json_record.h"
#include "runtime/print/perf_writer.h"
#include "runtime/print/plot.h"
#include "runtime/session/signed.h"
#include "runtime/session/supervise.h"
#include "runtime/unwind/unwind.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION // given by the makefile
#define PACKAGE_VERSION "unknown"
#endif
#define PATIENCE_MS 2000 // for a reader of the output that reads nothing, when a signal has ended the session

_Static_assert((int)SPILERT_ERROR == SP_LOG_ERROR && (int)SPILERT_DEBUG == SP_LOG_DEBUG, "levels are the same");

SP_EXPORT const char *spilert_version(void)
{
	return PACKAGE_VERSION;
}

// ---- log and status --------------------------------------------------------------------------------------------------

static void tell_caller(void *ctx, enum sp_log_level level, const char *text)
{
	const struct spilert *rt = ctx;

	if (rt->opts.log)
		rt->opts.log(rt->opts.log_ctx, (enum spilert_level)level, text);
}

static void write_people_log(void *ctx, enum sp_log_level level, const char *text)
{
	struct spilert *rt = ctx;

	if (level == SP_LOG_WARN && rt->opts.no_warnings)
		return;
	rt_web_message(rt, level, text);
	if (rt->transport.writer)
		writer_message(rt->transport.writer, level, text);
	else
		tell_caller(ctx, level, text);
}

static void write_log(void *ctx, enum sp_log_level level, const char *text)
{
	struct spilert *rt = ctx;

	if (rt->transport.json && level <= SP_LOG_WARN) {
		json_record_message(&rt->transport.pending, level == SP_LOG_ERROR ? "error" : "warning", text);
		transport_flush(&rt->transport);
	}
	write_people_log(ctx, level, text);
}

int rt_finish(const struct spilert *rt, struct sp_err *err)
{
	int status = err ? sp_err_exit_status(err) : 0;

	sp_err_tell(&rt->log, SP_LOG_ERROR, err);
	return status;
}

// Phases are called in their order, each once.
static struct sp_err *enter_phase(struct spilert *rt, enum rt_phase phase)
{
	if (rt->failed || rt->phase + 1 != phase)
		return sp_err_new(SP_ERR_USAGE, "spilert: phases are open, prepare, load, attach, run, in this order");
	rt->phase = phase;
	return NULL;
}

static int leave_phase(struct spilert *rt, struct sp_err *err)
{
	int status = rt_finish(rt, err);

	if (status) {
		rt->failed = true;
		rt_drain(rt); // the caller wants to know why
	}
	return status;
}

// ---- output that waits -----------------------------------------------------------------------------------------------

bool rt_is_interrupted(const struct spilert *rt)
{
	sigset_t pending;

	sigpending(&pending);
	for (int signal = 1; signal < SIGRTMIN; signal++)
		if (signal != SIGCHLD && signal != SIGUSR1 && signal != SIGUSR2 && signal != SIGCONT && sigismember(&rt->signals, signal) == 1 && sigismember(&pending, signal) == 1)
			return true;
	return false;
}

bool rt_gives_up(void *ctx, unsigned idle_ms)
{
	const struct spilert *rt = ctx;

	return (rt->signals_blocked && rt_is_interrupted(rt)) || (rt->signalled && idle_ms >= PATIENCE_MS);
}

void rt_drain(struct spilert *rt)
{
	struct transport *t = &rt->transport;

	if (!t->writer)
		return;
	if (!t->gave_up && writer_wait(t->writer, 0, rt_gives_up, rt)) {
		transport_check(t, 0);
	} else if (!t->failed || t->gave_up) {
		size_t waiting = writer_waiting(t->writer);

		t->failed = t->gave_up = true;
		writer_end(t->writer);
		t->writer = NULL;
		sp_log(&rt->log, SP_LOG_WARN, "%zu bytes of output were not written: nobody reads them", waiting);
	}
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
	if (rt->opts.flamegraph)
		rt->opts.flamegraph = sp_arena_strdup(&rt->arena, rt->opts.flamegraph);
	if (rt->opts.perf_data)
		rt->opts.perf_data = sp_arena_strdup(&rt->arena, rt->opts.perf_data);
	if (rt->opts.plot)
		rt->opts.plot = sp_arena_strdup(&rt->arena, rt->opts.plot);
	if (rt->opts.rotate_file)
		rt->opts.rotate_file = sp_arena_strdup(&rt->arena, rt->opts.rotate_file);
	if (rt->opts.name)
		rt->opts.name = sp_arena_strdup(&rt->arena, rt->opts.name);
	if (rt->opts.title)
		rt->opts.title = sp_arena_strdup(&rt->arena, rt->opts.title);
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
	rt->log = (struct sp_log){ .ctx = rt, .write = rt->opts.log || rt->opts.json ? write_log : NULL,
				   .max_level = (enum sp_log_level)rt->opts.max_level };
	rt->people_log = rt->writer_log = rt->log;
	rt->people_log.write = rt->opts.log ? write_people_log : NULL;
	rt->writer_log.write = rt->opts.log ? tell_caller : NULL;
}

static struct spilert *create(const struct spilert_opts *opts)
{
	struct spilert *rt = sp_calloc(1, sizeof(*rt));

	copy_opts(rt, opts);
	rt->child = (struct child){ .pidfd = -1, .go_fd = -1, .report_fd = -1 };
	rt->target_pidfd = rt->flame_fd = rt->epoll_fd = rt->signal_fd = rt->deadline_fd = rt->uevents_fd = rt->programs_fd = rt->attach.tracefs = rt->watch.timer_fd = rt->clock_fd = -1;
	return rt;
}

static struct sp_err *check_opts(const struct spilert_opts *opts)
{
	if (opts->command && opts->pid)
		return sp_err_new(SP_ERR_USAGE, "a command (-c) and a process (-x) exclude each other");
	if (opts->json && opts->folded)
		return sp_err_new(SP_ERR_USAGE, "--json excludes --folded, whose lines are text: the arrays have the stacks as lists");
	if (opts->pid < 0)
		return sp_err_new(SP_ERR_USAGE, "%d is not the number of a process", (int)opts->pid);
	if (!(opts->seconds >= 0))
		return sp_err_new(SP_ERR_USAGE, "the time to run for cannot be negative");
	return NULL;
}

static struct sp_err *open_pack(struct spilert *rt, const void *bytes, size_t size)
{
	sp_cleanup(pack_deinit) struct pack pack = { 0 };

	SP_TRY(pack_open(bytes, size, &pack));
	return pack_choose(&pack, &rt->log, &rt->attach.layout, &rt->bundle);
}

static struct sp_err *open_script(struct spilert *rt, const void *bytes, size_t size)
{
	SP_TRY(check_opts(&rt->opts));
	if (pack_is_one(bytes, size))
		return open_pack(rt, bytes, size);
	SP_TRY(bundle_open(bytes, size, &rt->bundle));
	return bundle_check_arch(rt->bundle);
}

// `path`: NULL when the bytes are not a file's.
static int open_bytes(struct spilert *rt, const char *path, const void *bytes, size_t size, struct spilert **ret)
{
	struct sp_err *err = open_script(rt, bytes, size);
	int status;

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

SP_EXPORT int spilert_open_file(const char *path, const struct spilert_opts *opts, struct spilert **ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	struct spilert *rt = create(opts);
	struct sp_err *err = sp_file_read(path, PACK_MAX_SIZE, &bytes);
	int status;

	if (!err && !bytes.len)
		err = sp_err_new(SP_ERR_FORMAT, "%s is empty", path);
	// SP_ERR_PRIVILEGE would tell the user that probes need privileges; here only the file cannot be read.
	if (err && err->code == SP_ERR_PRIVILEGE)
		err->code = SP_ERR_SYSTEM;
	if (!err)
		err = signed_check(path, bytes.data, bytes.len, rt->opts.require_signature, &rt->log);
	if (err) {
		status = rt_finish(rt, err);
		spilert_close(rt);
		return status;
	}
	return open_bytes(rt, path, bytes.data, bytes.len, ret);
}

// ---- prepare ---------------------------------------------------------------------------------------------------------

static void block_signals(struct spilert *rt)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT };

	sigemptyset(&rt->signals);
	sigaddset(&rt->signals, SIGCHLD); // how the user engine learns of stops
	for (size_t i = 0; rt->opts.handle_signals && i < SP_ARRAY_SIZE(handled); i++)
		sigaddset(&rt->signals, handled[i]);
	pthread_sigmask(SIG_BLOCK, &rt->signals, &rt->old_signals);
	rt->signals_blocked = true;
}

// A zombie, too, is a process of that number.
static bool has_ended(int pidfd)
{
	return poll(&(struct pollfd){ .fd = pidfd, .events = POLLIN }, 1, 0) > 0;
}

static struct sp_err *find_target(struct spilert *rt)
{
	if (rt->opts.pid) {
		rt->target = rt->opts.pid;
		rt->target_pidfd = (int)syscall(SYS_pidfd_open, rt->target, 0);
		if (rt->target_pidfd >= 0 && has_ended(rt->target_pidfd))
			return sp_err_new(SP_ERR_NOT_FOUND, "process %d has ended", (int)rt->target);
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

static struct sp_err *prepare(struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;
	struct fixup_input input = { .bundle = bundle, .out_fd = rt->opts.out_fd, .globals = rt->opts.globals,
				     .layout = &rt->attach.layout };

	SP_TRY(enter_phase(rt, RT_PREPARED));
	SP_TRY(rt_flame_open(rt));
	SP_TRY(rt_samples_start(rt));
	if (rt->opts.rotate_file)
		SP_TRY(rotation_start(rt->opts.rotate_file, rt->opts.rotate_size, rt->opts.rotate_keep, &rt->rotation));
	SP_TRY(fixup_check_target(bundle));
	block_signals(rt);
	rt->self = getpid();
	SP_TRY(rt_input_take(rt));
	SP_TRY(find_target(rt));
	SP_TRY(rt_choose_engine(rt));
	SP_TRY(rt_confine(rt));
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

// The process that the script runs in is another one.
static void take_own_pid(struct spilert *rt)
{
	rt->self = getpid();
	for (unsigned i = 0; i < rt->bundle->n_fixups; i++)
		if (rt->bundle->fixups[i].kind == SP_FIX_STAP_PID)
			rt->slots[rt->bundle->fixups[i].slot] = (uint64_t)rt->self;
}

SP_EXPORT int spilert_supervise(struct spilert *rt, int *status_ret)
{
	struct sp_err *err;
	bool is_worker;

	if (rt->failed || rt->phase != RT_PREPARED)
		err = sp_err_new(SP_ERR_USAGE, "spilert: supervise comes after prepare");
	else if (!rt_may_trace_process(rt))
		return 0;
	else
		err = supervise(&rt->signals, rt->opts.watch || isatty(rt_input_fd(rt)), &is_worker, status_ret);
	if (err) {
		*status_ret = leave_phase(rt, err);
		return 1;
	}
	if (!is_worker)
		return 1;
	take_own_pid(rt);
	sigaddset(&rt->signals, SIGTERM); // the parent's death
	return 0;
}

struct sp_err *rt_perf_data_end(struct spilert *rt)
{
	struct perf_writer *writer = rt->perf_writer;

	if (!writer)
		return NULL;
	rt->perf_writer = rt->transport.perf_writer = NULL;
	return rt->opts.perf_writer->close(writer, rt->transport.wall_offset, bundle_text(rt->bundle, rt->bundle->head->script));
}

struct sp_err *rt_plot_end(struct spilert *rt)
{
	struct plot *plot = rt->plot;

	rt->plot = NULL;
	return plot ? rt->opts.plotter->close(plot, rt->opts.title ? rt->opts.title : "spile") : NULL;
}

// ---- load and attach --------------------------------------------------------------------------------------------------

SP_EXPORT int spilert_load(struct spilert *rt)
{
	struct sp_err *err = enter_phase(rt, RT_LOADED);

	return leave_phase(rt, err ? err : rt_load(rt));
}

int64_t *rt_find_global(struct spilert *rt, const char *name)
{
	for (unsigned i = 0; i < rt->bundle->n_globals; i++)
		if (sp_streq(bundle_text(rt->bundle, rt->bundle->globals[i].name), name))
			return (int64_t *)((char *)rt->data + rt->bundle->globals[i].offset);
	return NULL;
}

bool rt_is_over(const struct spilert *rt)
{
	return rt->ending || rt->transport.exiting || rt->transport.failed;
}

void rt_progress(struct spilert *rt, const char *text)
{
	if (rt->opts.progress && (*text || rt->shows_progress))
		rt->opts.progress(rt->opts.log_ctx, text);
	rt->shows_progress = *text;
}

SP_EXPORT int spilert_attach(struct spilert *rt)
{
	struct sp_err *err = enter_phase(rt, RT_ATTACHED);

	return leave_phase(rt, err ? err : rt_attach(rt));
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
	rt_files_end(rt);
	rt_metrics_close(rt);
	rt_web_close(rt);
	rt_drop_ptrace(rt);
	rt_drain(rt);
	writer_end(rt->transport.writer);
	rt->transport.writer = NULL;
	rotation_end(rt->rotation);
	attach_deinit(&rt->attach);
	family_stop(&rt->family);
	counters_stop(&rt->counters);
	sp_err_free(rt->not_confined);
	child_deinit(&rt->child);
	sp_vec_each(timer, &rt->timers)
		attach_timer_stop(timer);
	sp_vec_deinit(&rt->timers);
	sp_vec_deinit(&rt->conditions);
	sp_vec_deinit(&rt->iterations);
	sp_vec_deinit(&rt->programs);
	free(rt->data_before);
	sp_vec_deinit(&rt->modules);
	account_deinit(&rt->account);
	sp_vec_deinit(&rt->deferred);
	rt_overload_end(rt);
	free(rt->watch.is_off);
	free(rt->watch.goes_on);
	close_fd(&rt->watch.timer_fd);
	close_fd(&rt->clock_fd);
	close_fd(&rt->epoll_fd);
	close_fd(&rt->signal_fd);
	close_fd(&rt->deadline_fd);
	rt_uevents_stop(rt);
	close_fd(&rt->programs_fd);
	close_fd(&rt->target_pidfd);
	close_fd(&rt->flame_fd);
	sp_err_free(rt_perf_data_end(rt));
	sp_err_free(rt_plot_end(rt));
	rt_samples_end(rt);
	vm_destroy(rt->vm);
	ring_buffer__free(rt->ring);
	store_destroy(rt->store);
	unwind_destroy(rt->unwind);
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
