// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // strsignal

#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/print/plot.h"
#include "runtime/print/stack_key.h"
#include "runtime/session/http_server.h"
#include "runtime/unwind/unwind.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_TAKEN 4096 // records in a row: a flood must not keep Ctrl-C from being seen
#define LOOK_MS 100 // how often the handlers' own word of the end is asked for
#define GATHER_NS 1000000 // for records to gather before they are taken
#define GONE_MS 200 // how often a process without a pidfd is
#define ONE_WISH_NS 100000000 // between two signals that are one wish to end; nobody presses Ctrl-C again so soon
#define CLOCK_NS 1000000000 // by which the clock may be set without a word

enum source { SOURCE_RING, SOURCE_SIGNAL, SOURCE_DEADLINE, SOURCE_TARGET, SOURCE_TIMER, SOURCE_FILES, SOURCE_INPUT, SOURCE_METRICS, SOURCE_UEVENTS, SOURCE_PROGRAMS,
	      SOURCE_WATCH, SOURCE_WEB, SOURCE_MAPPED, SOURCE_CLOCK };

// ---- the loop --------------------------------------------------------------------------------------------------------

int rt_take_record(void *ctx, void *record, size_t size)
{
	struct spilert *rt = ctx;

	rt->was_seen = true;
	transport_record(&rt->transport, record, size);
	return ++rt->n_taken < MAX_TAKEN ? 0 : -EAGAIN;
}

static struct sp_err *watch(struct spilert *rt, int fd, enum source source, size_t index)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = (uint64_t)source << 32 | index };

	if (fd >= 0 && epoll_ctl(rt->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return sp_err_errno(errno, "epoll_ctl");
	return NULL;
}

static struct sp_err *watch_all(struct spilert *rt)
{
	rt->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	rt->signal_fd = signalfd(-1, &rt->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (rt->epoll_fd < 0 || rt->signal_fd < 0)
		return sp_err_errno(errno, "cannot make the event loop");
	SP_TRY(watch(rt, rt->signal_fd, SOURCE_SIGNAL, 0));
	SP_TRY(watch(rt, rt->deadline_fd, SOURCE_DEADLINE, 0));
	SP_TRY(watch(rt, rt->clock_fd, SOURCE_CLOCK, 0));
	// The user engine waits for its processes itself.
	if (!rt->ptrace)
		SP_TRY(watch(rt, rt->child.pid ? rt->child.pidfd : rt->target_pidfd, SOURCE_TARGET, 0));
	if (rt->ring)
		SP_TRY(watch(rt, ring_buffer__epoll_fd(rt->ring), SOURCE_RING, 0));
	SP_TRY(watch(rt, rt_files_fd(rt), SOURCE_FILES, 0));
	SP_TRY(watch(rt, rt_input_fd(rt), SOURCE_INPUT, 0));
	if (rt->metrics)
		SP_TRY(watch(rt, http_server_fd(rt->metrics), SOURCE_METRICS, 0));
	SP_TRY(rt_watch_start(rt));
	SP_TRY(watch(rt, rt->watch.timer_fd, SOURCE_WATCH, 0));
	if (rt->opts.watch)
		SP_TRY(watch(rt, rt->opts.watch->fd, SOURCE_WATCH, 0));
	if (rt->web)
		SP_TRY(rt_web_start(rt));
	for (unsigned i = 0; rt->web && rt_web_fd(rt, i) >= 0; i++)
		SP_TRY(watch(rt, rt_web_fd(rt, i), SOURCE_WEB, i));
	SP_TRY(watch(rt, rt->uevents_fd, SOURCE_UEVENTS, 0));
	SP_TRY(watch(rt, rt->programs_fd, SOURCE_PROGRAMS, 0));
	SP_TRY(symbols_watch(rt->symbols, rt->epoll_fd, (uint64_t)SOURCE_MAPPED << 32));
	for (size_t i = 0; i < rt->timers.n; i++)
		SP_TRY(watch(rt, rt->timers.v[i].fd, SOURCE_TIMER, i));
	return NULL;
}

static void consume(struct spilert *rt)
{
	rt->n_taken = 0;
	if (rt->ring && !rt->ring_paused)
		ring_buffer__consume(rt->ring);
}

// When the output is not read, records stay in the ring buffer, and the kernel counts those that find no room there.
static struct sp_err *pause_ring(struct spilert *rt)
{
	size_t waiting;

	if (!rt->ring || rt->transport.failed)
		return NULL;
	waiting = writer_waiting(rt->transport.writer);
	if (!rt->ring_paused && waiting > WRITER_ROOM) {
		rt->ring_paused = true;
		epoll_ctl(rt->epoll_fd, EPOLL_CTL_DEL, ring_buffer__epoll_fd(rt->ring), NULL);
	} else if (rt->ring_paused && waiting < WRITER_ROOM / 2) {
		rt->ring_paused = false;
		return watch(rt, ring_buffer__epoll_fd(rt->ring), SOURCE_RING, 0);
	}
	return NULL;
}

// The kernel wakes us for a record when all records before it have been taken. In quick succession each of them would
// cost a wakeup and a write, so from the second one on we wait a little for more; not after a full batch.
static void consume_gathered(struct spilert *rt)
{
	if (!rt->ptrace && rt->n_taken < MAX_TAKEN && sp_now_ns() - rt->taken_at < GATHER_NS)
		usleep(GATHER_NS / 1000);
	consume(rt);
	rt->taken_at = sp_now_ns();
}

static void take_target_end(struct spilert *rt)
{
	int status;

	if (rt->ptrace && attach_ptrace_ended(rt->ptrace, &status)) {
		if (rt->child.pid && !rt->child.ended)
			child_set_ended(&rt->child, status);
		rt->ending = true;
	}
	if (!rt->ptrace && rt->child.pid) {
		child_reap(&rt->child);
		rt->ending = rt->ending || rt->child.ended;
	}
}

static void drop_in_tracer(void *ctx)
{
	struct spilert *rt = ctx;

	attach_ptrace_detach(rt->ptrace);
	take_target_end(rt);
	rt->was_cut = attach_ptrace_has_failed(rt->ptrace);
	attach_ptrace_destroy(rt->ptrace);
	rt->ptrace = NULL;
}

void rt_drop_ptrace(struct spilert *rt)
{
	if (rt->ptrace)
		tracer_call(rt->tracer, drop_in_tracer, rt);
	tracer_end(rt->tracer);
	rt->tracer = NULL;
}

static void poll_ptrace(struct spilert *rt)
{
	rt->more_stops = rt->ptrace && attach_ptrace_poll(rt->ptrace);
}

// The first process of a container inherits the commands of system().
static void reap_orphans(struct spilert *rt)
{
	int status;
	pid_t pid;

	while (rt->self == 1 && !rt->ptrace && (pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == rt->child.pid)
			child_set_ended(&rt->child, status);
}

static void take_signals(struct spilert *rt)
{
	struct signalfd_siginfo info;

	while (read(rt->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			consume(rt); // what happened before is counted
			rt_show_globals(rt, NULL, true);
		} else if (info.ssi_signo == SIGUSR2) {
			transport_flush(&rt->transport);
			writer_switch(rt->transport.writer);
		} else if (info.ssi_signo == SIGCONT) {
			rt_input_start(rt);
		} else if (info.ssi_signo != SIGCHLD) {
			rt->ending = true;
			rt->signalled |= info.ssi_signo != SIGINT;
			rt->signalled_at = sp_now_ns();
		}
	}
	reap_orphans(rt);
	poll_ptrace(rt);
	// Without pidfds (before Linux 5.3) this is how the end of the command is seen.
	take_target_end(rt);
}

static struct sp_err *run_timer(struct spilert *rt, size_t index)
{
	uint64_t count = attach_timer_take(rt->bundle, &rt->timers.v[index]);

	if (!count)
		return NULL;
	consume(rt); // what happened before is told before
	return rt_is_over(rt) ? NULL : rt_run_handler(rt, rt->timers.v[index].site);
}

// Handlers add to the monotonic clock what it is behind the time of day: that has changed, also when the machine has slept.
static void follow_clock(struct spilert *rt)
{
	int64_t before = rt->transport.wall_offset, moved;

	attach_timerfd_take(rt->clock_fd); // ECANCELED, once
	rt_set_clock(rt);
	moved = rt->transport.wall_offset - before;
	rt->clock_was_set |= moved > CLOCK_NS || moved < -CLOCK_NS;
}

static struct sp_err *take_event(struct spilert *rt, uint64_t tag)
{
	switch ((enum source)(tag >> 32)) {
	case SOURCE_RING:
		consume_gathered(rt);
		return NULL;
	case SOURCE_SIGNAL:
		take_signals(rt);
		return NULL;
	case SOURCE_DEADLINE:
		rt->ending = true;
		return NULL;
	case SOURCE_TARGET:
		take_target_end(rt);
		rt->ending = true;
		return NULL;
	case SOURCE_TIMER:
		return run_timer(rt, (size_t)(tag & UINT32_MAX));
	case SOURCE_FILES:
		consume(rt); // what happened before is told before
		rt_files_serve(rt);
		return NULL;
	case SOURCE_INPUT:
		consume(rt);
		rt_input_serve(rt);
		return NULL;
	case SOURCE_METRICS:
		consume(rt);
		rt_metrics_give(rt);
		return NULL;
	case SOURCE_UEVENTS:
		rt_uevents_look(rt);
		return NULL;
	case SOURCE_PROGRAMS:
		rt_programs_look(rt);
		return NULL;
	case SOURCE_WATCH:
		rt_watch_look(rt);
		return NULL;
	case SOURCE_WEB:
		consume(rt);
		rt_web_look(rt);
		return NULL;
	case SOURCE_CLOCK:
		follow_clock(rt);
		return NULL;
	case SOURCE_MAPPED: // symbols_update() has been called
		return NULL;
	}
	return sp_err_bug("an event from nowhere");
}

// The record of exit() or of the last error may have found the ring buffer full. Handlers have stopped then and nothing
// else comes, so their flag is looked at. detach() takes the records that they have sent before.
static void look_at_control(struct spilert *rt)
{
	const struct sp_control *control = rt->data;

	if (rt->load && __atomic_load_n(&control->exiting, __ATOMIC_ACQUIRE))
		rt->ending = true;
}

// Without pidfds, the end of a process that is not our child is only seen by polling.
static bool is_polled(const struct spilert *rt)
{
	return rt->opts.pid && rt->target_pidfd < 0 && !rt->ptrace;
}

static int loop_timeout(const struct spilert *rt)
{
	if (rt->more_stops || rt->iterations.n || rt->samples)
		return 0;
	if (rt_overload_timeout(rt) >= 0)
		return SP_MIN(rt_overload_timeout(rt), rt->conditions.n ? ARM_MS : LOOK_MS);
	if (rt->load)
		return rt->conditions.n ? ARM_MS : LOOK_MS;
	return is_polled(rt) ? GONE_MS : -1;
}

static struct sp_err *loop(struct spilert *rt)
{
	SP_TRY(watch_all(rt));
	while (!rt_is_over(rt)) {
		struct epoll_event events[16];
		int n = epoll_wait(rt->epoll_fd, events, SP_ARRAY_SIZE(events), loop_timeout(rt));

		if (n < 0 && errno != EINTR)
			return sp_err_errno(errno, "epoll_wait");
		symbols_update(rt->symbols);
		if (rt->unwind)
			unwind_update(rt->unwind);
		for (int i = 0; i < n && !rt_is_over(rt); i++)
			SP_TRY(take_event(rt, events[i].data.u64));
		if (rt->more_stops) {
			poll_ptrace(rt);
			take_target_end(rt);
		} else if (n == 0 && is_polled(rt) && kill(rt->target, 0) && errno == ESRCH) {
			rt->ending = true;
		}
		look_at_control(rt);
		SP_TRY(rt_iterate_asked(rt));
		rt_samples_take(rt);
		SP_TRY(rt_arm(rt));
		rt_overload_look(rt);
		rt_running_close(rt);
		transport_flush(&rt->transport);
		transport_check(&rt->transport, 0);
		SP_TRY(pause_ring(rt));
	}
	return NULL;
}

struct loop_result {
	struct spilert *rt;
	struct sp_err *err;
};

static void loop_in_tracer(void *ctx)
{
	struct loop_result *ret = ctx;

	ret->err = loop(ret->rt);
}

static struct sp_err *run_loop(struct spilert *rt)
{
	struct loop_result result = { .rt = rt };

	if (rt->ptrace)
		tracer_call(rt->tracer, loop_in_tracer, &result);
	else
		result.err = loop(rt);
	setpriority(PRIO_PROCESS, 0, rt->nice);
	return result.err;
}

// ---- the end ---------------------------------------------------------------------------------------------------------

static void tell_lost_children(const struct spilert *rt)
{
	uint64_t lost = family_lost(&rt->family);

	if (lost)
		sp_log(&rt->log, SP_LOG_WARN,
		       "%" PRIu64 " processes of the target were not probed: more than %u were alive at a time", lost,
		       FAMILY_MAX);
}

// From here on a second Ctrl-C does what it did before the session: by default, it ends the process. One wish to end may come as two
// signals, as timeout(1) sends them to the process and then to its group: what follows the first within moments is no second wish.
static void release_signals(struct spilert *rt)
{
	struct timespec left = { 0 };
	uint64_t now;
	bool is_first = !rt->signalled_at, ends = false; // no Ctrl-C here, nor a signal before, in the loop
	int signal;

	if (rt_is_interrupted(rt))
		rt->signalled_at = sp_now_ns();
	do {
		now = sp_now_ns();
		left.tv_nsec = now < rt->signalled_at + ONE_WISH_NS ? (long)(rt->signalled_at + ONE_WISH_NS - now) : 0;
		signal = sigtimedwait(&rt->signals, NULL, &left);
		ends |= signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
		is_first &= signal != SIGINT;
	} while (signal > 0 || errno == EINTR);
	rt->signalled |= is_first && ends;
	pthread_sigmask(SIG_SETMASK, &rt->old_signals, NULL);
	rt->signals_blocked = false;
}

static void wait_for_detach(void *ctx, size_t n_left)
{
	struct spilert *rt = ctx;
	char text[64];

	release_signals(rt);
	snprintf(text, sizeof(text), "detaching: %zu probes are left", n_left);
	rt_progress(rt, text);
}

static void detach(struct spilert *rt, struct account *account)
{
	struct sp_control *control = rt->data;

	__atomic_or_fetch(&control->exiting, SP_EXITING, __ATOMIC_RELEASE);
	rt_files_end(rt); // whoever waits for them, such as a command of system(), goes on
	account_take(account, &rt->attach, &(struct attach_part){ SP_NONE, SP_NONE });
	if (rt->ptrace) {
		unsigned unseen = attach_ptrace_unseen(rt->ptrace);

		if (unseen)
			sp_log(&rt->log, SP_LOG_INFO, "%u process probe%s found no code in the target", unseen,
			       unseen == 1 ? "" : "s");
	}
	rt_drop_ptrace(rt);
	attach_detach(&rt->attach, wait_for_detach, rt);
	rt_progress(rt, "");
	tell_lost_children(rt);
	sp_vec_each(timer, &rt->timers)
		attach_timer_stop(timer);
	rt->timers.n = 0;
	// No handler runs any more, so this ends; nobody is kept waiting by a slow reader any more.
	rt->transport.drops = rt->ring_paused = false;
	do
		consume(rt);
	while (rt->n_taken == MAX_TAKEN);
}

// Unread globals are displayed at the end of a script, but not after an error: as by a handler behind those of `end` and in front of `end(1)`.
static struct sp_err *run_last_handlers(struct spilert *rt, enum sp_site_kind kind, const bool *shown)
{
	bool has_shown = kind == SP_SITE_ERROR;
	struct sp_control *control = rt->data;
	unsigned n;
	sp_cleanup_free unsigned *order = rt_ordered_sites(rt->bundle, kind, &n);

	for (unsigned i = 0; i < n && !rt->transport.failed; i++) {
		if (!has_shown && rt->bundle->sites[order[i]].args.session.order > 0) {
			rt_show_globals(rt, shown, false);
			has_shown = true;
		}
		rt->transport.exiting = false;
		__atomic_store_n(&control->exiting, 0, __ATOMIC_RELEASE);
		SP_TRY(rt_run_handler(rt, order[i]));
	}
	if (!has_shown && !rt->transport.failed)
		rt_show_globals(rt, shown, false);
	return NULL;
}

// A reader that closes the pipe says that it has enough; that is no failure.
static bool is_reader_gone(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLERR;
}

// The handlers have counted their errors, too, because records of some may not have arrived.
uint64_t rt_count_errors(const struct spilert *rt)
{
	const struct sp_control *control = rt->data;
	uint64_t counted = __atomic_load_n(&control->n_errors, __ATOMIC_ACQUIRE);

	return SP_MAX(rt->transport.n_errors, counted);
}

static bool has_too_many_errors(const struct spilert *rt)
{
	return rt_count_errors(rt) > rt->bundle->head->max_errors && !rt->opts.suppress_handler_errors;
}

static void tell_lost_errors(const struct spilert *rt)
{
	if (has_too_many_errors(rt) && rt->transport.n_errors <= rt->bundle->head->max_errors)
		sp_log(&rt->log, SP_LOG_ERROR, "the message of a run-time error was lost: the ring buffer was full");
}

// If the command failed, so did the run.
static int command_failure(const struct spilert *rt)
{
	int status = rt->child.status;

	if (!rt->child.ended || !rt->child.released || !status)
		return 0;
	if (WIFSIGNALED(status))
		sp_log(&rt->log, SP_LOG_WARN, "%s was ended by signal %d (%s)", rt->opts.command, WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
	else
		sp_log(&rt->log, SP_LOG_WARN, "%s exited with status: %d", rt->opts.command, WEXITSTATUS(status));
	return 1;
}

// A difference over that moment is not the time that went by.
static void tell_clock(struct spilert *rt)
{
	bool is_told = rt->opts.json;

	for (unsigned i = 0; i < rt->bundle->n_fixups; i++)
		is_told |= rt->bundle->fixups[i].kind == SP_FIX_WALL_OFFSET;
	if (is_told && rt->clock_was_set)
		sp_log(&rt->log, SP_LOG_WARN, "the clock was set or stood: times of day jumped");
}

static void tell_names(struct spilert *rt)
{
	struct sp_err **unread = symbols_unread(rt->symbols);

	if (*unread)
		sp_err_tell(&rt->people_log, SP_LOG_WARN, sp_err_wrap(*unread, "names of addresses, or frames of stacks, may be missing"));
	*unread = NULL;
	if (symbols_lost(rt->symbols))
		sp_log(&rt->people_log, SP_LOG_WARN, "programs came too fast (%" PRIu64 " mappings at least): their addresses may have no names, or wrong ones", symbols_lost(rt->symbols));
}

static struct sp_err *end(struct spilert *rt)
{
	sp_cleanup_free bool *shown = sp_calloc(rt->bundle->n_maps + 1, sizeof(*shown)); // arrays that are shown in another way
	struct flame flame;
	struct sp_err *err;
	bool failed;

	rt_metrics_close(rt);
	if (!rt->account.bundle)
		account_init(&rt->account, rt->bundle);
	rt_programs_tell(rt);
	detach(rt, &rt->account);
	failed = rt->overload.has_ended || has_too_many_errors(rt); // with those that were on their way
	tell_lost_errors(rt);
	if (rt->opts.unseen)
		rt->opts.unseen->tell(rt);
	release_signals(rt);
	rt_flame_read(rt, &flame, shown); // before handlers empty the arrays
	if (rt->plot && !rt->opts.plotter->read(rt->plot, rt->bundle, rt->store, shown))
		sp_log(&rt->log, SP_LOG_WARN, "--plot: no array of the script has a number as a key, such as calls[gettimeofday_s()]++, and elements");
	rt_web_give(rt);
	err = run_last_handlers(rt, failed ? SP_SITE_ERROR : SP_SITE_END, shown);
	if (!err && !rt->transport.failed)
		err = rt_flame_show(rt, &flame);
	flame_deinit(&flame);
	if (rt->opts.timing && !rt->transport.failed)
		(rt->opts.json ? timing_put_json : timing_print)(&rt->transport.pending, &rt->timing, &rt->attach);
	transport_flush(&rt->transport);
	if (rt->unwind)
		unwind_tell(rt->unwind, &rt->log);
	store_report(rt->store, &rt->log);
	if (rt->opts.json && !rt->transport.failed)
		account_put_json(&rt->transport.pending, &rt->account, rt->data, rt->transport.dropped);
	transport_flush(&rt->transport);
	if (!err)
		err = rt_perf_data_end(rt);
	if (!err)
		err = rt_plot_end(rt);
	account_report(&rt->account, rt->data, rt->transport.dropped, rt_count_errors(rt), &rt->people_log);
	tell_clock(rt);
	tell_names(rt);
	return err;
}

// What runs now may have ended when its stacks are shown. With a target, only its mappings are followed: the others' are read at the end.
static void see_running(struct spilert *rt)
{
	bool keeps_stacks = rt->opts.folded || rt->opts.flamegraph || stack_key_is_expected(rt->bundle, true);

	if (keeps_stacks && !rt->target && symbols_listens(rt->symbols))
		symbols_see_running(rt->symbols);
}

int rt_run(struct spilert *rt)
{
	int status, end_status, command_status;

	if (!rt->ending)
		see_running(rt);
	status = rt->ending ? 0 : rt_finish(rt, run_loop(rt));
	end_status = rt_finish(rt, end(rt));
	command_status = command_failure(rt);

	status = SP_MAX(SP_MAX(status, end_status), command_status);
	if (rt->failed || rt->transport.is_broken)
		status = SP_MAX(status, 5); // told when it happened
	rt_web_end(rt);
	rt_drain(rt);
	if (rt->overload.has_ended || rt->was_cut || (rt_count_errors(rt) && !rt->opts.suppress_handler_errors) ||
	    (rt->transport.failed && !is_reader_gone(rt->opts.out_fd)))
		status = SP_MAX(status, 1);
	return status;
}
