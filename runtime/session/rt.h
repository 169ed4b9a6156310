// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of the session: one run of a script from the first phase to the last.
 *
 *  The problem. Two engines may run handlers, the kernel and this process, and which one a process() probe gets is only
 *  known after the kernel was asked; the command of -c must not run before its probes are there; and at the end
 *  everything that was printed or lost has to come out in order, whatever ended the run.
 *
 *  The idea. spilert.h has one call for each phase, and each phase only adds to struct spilert: open, prepare
 *  (rt_engine.c chooses the engine), load, attach (rt_attach.c: begin handlers, then all probes, and last the command),
 *  run (rt_run.c: one epoll loop over the ring buffer, timers, signals, stopped processes and the target's end; then
 *  detach, end handlers, display of unread globals, account of losses).
 *
 *  The invariant. A phase that failed leaves only spilert_close(), which undoes whatever was done. No handler runs
 *  after the detach, so the end handlers see final values.
 *
 *  The limits. A session belongs to one thread; under the user engine it lends its loop to the one that traces, and waits
 *  for it meanwhile (tracer.h). A process that ptrace probes is let go in order only by its tracer,
 *  therefore such a session runs in a child of the process that the user sees (supervise.h). */
#ifndef SP_RUNTIME_RT_H
#define SP_RUNTIME_RT_H

#include "runtime/session/account.h"
#include "runtime/attach/attach.h"
#include "runtime/ptrace/attach_ptrace.h"
#include "runtime/attach/attach_time.h"
#include "runtime/base/arena.h"
#include "runtime/base/log.h"
#include "runtime/load/bundle.h"
#include "runtime/session/child.h"
#include "runtime/load/counters.h"
#include "runtime/load/family.h"
#include "runtime/include/spilert.h"
#include "runtime/load/load.h"
#include "runtime/vm/store.h"
#include "runtime/session/timing.h"
#include "runtime/session/tracer.h"
#include "runtime/print/flame.h"
#include "runtime/print/symbols.h"
#include "runtime/print/transport.h"
#include "runtime/vm/vm.h"

#include <signal.h>

enum rt_phase { RT_OPENED, RT_PREPARED, RT_LOADED, RT_ATTACHED, RT_RAN };

struct files_peer;
struct ring_buffer;
struct http_server;
struct rt_web;

struct spilert {
	struct sp_arena arena; // the texts of `opts`
	struct spilert_opts opts; // as this library knows it
	struct sp_log log;
	struct bundle *bundle;
	enum rt_phase phase;
	bool failed; // a phase failed: there is only close

	// from prepare
	bool user_engine; // process() probes run by ptrace
	bool confined; // the kernel's process() handlers are the target's and its children's
	struct sp_err *not_confined; // why not, though there is a target; NULL
	struct family_events family_events; // when n_family is not 0
	unsigned n_family; // entries of the map of processes; 0: it is not used
	struct child child;
	pid_t self; // what stap_pid() says
	pid_t target; // of -c or -x; 0: none
	int target_pidfd; // of -x; -1
	int flame_fd; // of --flamegraph; -1
	struct samples *samples; // of files, whose handlers have not all run yet; NULL
	struct rotation *rotation; // of opts.rotate_file; NULL
	bool shows_progress;
	unsigned n_attached; // sites that were tried, while they are attached
	uint64_t progress_at; // when it was shown last, or attaching began
	uint64_t *slots;
	sigset_t signals, old_signals; // what is blocked for the session, and the caller's mask
	bool signals_blocked;

	// from load
	struct perf_writer *perf_writer; // of opts.perf_data; NULL
	struct plot *plot; // of opts.plot; NULL
	struct load *load; // NULL: nothing runs in the kernel
	void *own_data; // spile_data when the kernel does not have it
	void *data;
	struct store *store;
	struct transport transport;
	struct sp_log writer_log; // the caller's, for the writer
	struct sp_log people_log; // for those whose message is an object of its own in the output, with opts.json
	struct symbols *symbols;
	struct unwind *unwind; // NULL: no handler in the kernel walks stacks by tables
	struct vm *vm;
	struct http_server *metrics; // of --prometheus; NULL
	struct rt_web *web; // of --web; NULL
	bool in_handler; // the machine is at work
	SP_VEC(struct rt_record {
		unsigned site;
		void *bytes;
		size_t size;
	}) deferred; // records whose rest has not run yet
	SP_VEC(unsigned) iterations; // sites that run_iter() has asked for and that have not run yet
	struct timing timing;
	bool is_timed; // handlers are measured: -t, --max-overhead, --overload
	struct rt_overload {
		int64_t *paused; // the script's SP_PAUSED_GLOBAL; NULL: it is not paused
		uint64_t looked_at, spent; // when handlers' time was asked for last, and how much it was, in ns
		double credit; // ns that handlers may take before a pause
		uint64_t since, spent_before; // the interval of --overload: its beginning, and what was spent then
		struct rt_spent {
			uint64_t runs, ns;
		} *before; // by program: up to its beginning
		bool has_ended; // the script
	} overload;
	struct rt_watch {
		bool *is_off; // by program: it was switched off
		bool *goes_on; // by program: behind the pause
		bool is_paused;
		uint64_t began; // ns: when the loop began, of opts.web
		int timer_fd; // -1
	} watch; // opts.watch, opts.web
	struct ring_buffer *ring;
	int clock_fd; // readable when the clock was set; -1
	bool clock_was_set; // by more than a little
	bool ring_paused; // nobody takes records: the reader of the output is slow
	int nice; // of this thread, but when it waits for records
	unsigned n_taken; // records since the loop last looked at anything else
	uint64_t taken_at; // ns: when they were

	// from attach
	bool signalled; // a signal has ended it that is no Ctrl-C: then the reader of the output may be a pager
	uint64_t signalled_at; // when the last signal that ends it came, or 0
	bool ending; // exit() or too many errors in a begin handler, or a signal: no more is attached
	struct attach attach;
	struct family family;
	struct counters counters;
	struct attach_ptrace *ptrace;
	struct tracer *tracer; // the thread that does all of `ptrace`
	SP_VEC(struct attach_timer) timers;
	SP_VEC(struct rt_condition {
		unsigned site; // its handler's
		uint32_t number; // as in sp_prog.condition
		const int64_t *result; // in `data`: not 0 when it holds
		bool is_armed; // so its probes are attached
	}) conditions;
	uint64_t running_until; // ns: when SP_RUNNING_GLOBAL becomes 0; 0: it is
	uint64_t arm_at; // ns: when they were asked last
	bool ran_handler; // since then a handler has run here
	struct account account; // not initialized before it is needed
	struct rt_files *files; // of procfs probes
	struct rt_input *input; // of probes of the standard input
	SP_VEC(struct rt_program {
		unsigned object;
		int watch; // of what is written to it; -1
		dev_t device;
		ino_t inode;
		uint64_t born_ns; // 0 where its file system does not tell
	}) programs; // that are probed, as they are now
	bool was_cut; // something could not be probed, which was told
	bool was_seen; // a handler for an event has run here, or printed something
	void *data_before; // `data` before there were any events; NULL: no program is probed
	int programs_fd; // tells of changes in their folders; -1
	SP_VEC(struct rt_module {
		uint32_t object;
		uint64_t number; // image_module_number()
	}) modules; // of the kernel, that are probed
	int uevents_fd; // of the kernel: what comes and goes; -1
	SP_VEC(int) clocks; // of each processor, if anything is opened on each; -1: it is off
	int epoll_fd, signal_fd, deadline_fd;
	bool more_stops; // the user engine has not handled them all
};

/** The exit status for an error, which is told and freed. NULL: 0. */
int rt_finish(const struct spilert *rt, struct sp_err *err);
/** spilert_load(), within its phase. */
struct sp_err *rt_load(struct spilert *rt);
/** Tells handlers and the output what the time of day is. */
void rt_set_clock(struct spilert *rt);
/** For struct transport. A record for the rest of a handler: under the user engine it comes while that runs, and waits for its end. */
void rt_put_off(void *ctx, unsigned site, const void *record, size_t size);
/** For struct transport. An iterator that a handler asks for: it runs when the handler is over. */
void rt_ask_iteration(void *ctx, const char *name);
/** Runs a user-side handler; the caller flushes its output. */
struct sp_err *rt_run_handler(struct spilert *rt, unsigned site);
/** The task of handlers that run for no program. */
void rt_own_task(struct spilert *rt, struct vm_task *ret);
/** For struct vm_task: memory of that task's process. The task itself as `ctx`. */
int rt_read_process(void *ctx, uint64_t addr, void *dst, size_t size);
/** A global of the script that is a number, in `data`; NULL: there is none of that name. */
int64_t *rt_find_global(struct spilert *rt, const char *name);
/** Indexes of the sites of a kind in order of their numbers; *n_ret of them; free(3). */
unsigned *rt_ordered_sites(const struct bundle *bundle, enum sp_site_kind kind, unsigned *n_ret);
/** Has anything said that the session is to end: exit(), errors, output that cannot be written? */
bool rt_is_over(const struct spilert *rt);
/** Shows how far something is that takes long; "" takes that away. */
void rt_progress(struct spilert *rt, const char *text);

/** Settles which engine runs the process() probes (rt->user_engine), or says why none can. */
struct sp_err *rt_choose_engine(struct spilert *rt);
/** The kernel refused the process() probes for `reason`, so the user engine takes them. The reason is told, and
 *  freed. */
struct sp_err *rt_fall_back(struct spilert *rt, struct sp_err *reason);
/** Does the handler of a site run in this process? */
bool rt_is_user_side(const struct spilert *rt, const struct sp_site *site);
/** May the user engine come to trace the process of -x? */
bool rt_may_trace_process(const struct spilert *rt);
/** Settles whether the kernel's process() probes see the target and its children only; with rt_tell_not_confined() for
 *  the warning when they do not. */
struct sp_err *rt_confine(struct spilert *rt);
void rt_tell_not_confined(struct spilert *rt);

/** Has a signal come that is to end the session? It stays pending: the loop takes it. */
bool rt_is_interrupted(const struct spilert *rt);
/** May addresses that come from the kernel be named, in what is printed or as a value of a probe end? */
bool rt_names_addresses(const struct spilert *rt);
/** The run-time errors of the script. */
uint64_t rt_count_errors(const struct spilert *rt);

/** Is it no use to wait for the reader of the output any longer? struct spilert as `ctx`, as for writer_wait. */
bool rt_gives_up(void *ctx, unsigned idle_ms);
/** Waits until all is written, or it is no use. */
void rt_drain(struct spilert *rt);

/** Runs the begin handlers, attaches everything and lets the command of -c go. */
struct sp_err *rt_attach(struct spilert *rt);

/** From here on processes that run a program are known in its new file, too. */
struct sp_err *rt_follow_program(struct spilert *rt, unsigned object);

/** Attaches the sites of a program that are in the kernel's order `last_runs_first` or not; the first failure that is no optional
 *  site's is returned. */
struct sp_err *rt_attach_prog(struct spilert *rt, unsigned prog, bool last_runs_first);

#define ARM_MS 10 // how late a probe may be armed or disarmed when a handler in the kernel changes its condition
/** Finds the conditions of probes, and asks them for the first time. */
struct sp_err *rt_arm_first(struct spilert *rt);
/** Asks them again if it is time, and attaches or detaches what has changed. */
struct sp_err *rt_arm(struct spilert *rt);
/** Is the program not to be attached now? */
bool rt_is_disarmed(const struct spilert *rt, unsigned prog);
/** Can the program be switched off and on? */
bool rt_can_switch(const struct spilert *rt, unsigned prog);
/** rt->watch.is_off has changed for a program. */
struct sp_err *rt_switch_prog(struct spilert *rt, unsigned prog);

// ---- rt_running.c

/** Is there a handler for processes that run already, and may there be any? */
bool rt_has_running(const struct spilert *rt);
/** From here on handlers of process.begin keep which processes they have run for, until it is time to close. */
void rt_running_open(struct spilert *rt);
void rt_running_close(struct spilert *rt);
/** Runs the handlers for each process that runs already and that the session is for. */
struct sp_err *rt_begin_running(struct spilert *rt);

/** Runs the handlers of iterators, for each object that there is. */
struct sp_err *rt_iterate(struct spilert *rt);
/** Those that run_iter() has asked for since. */
struct sp_err *rt_iterate_asked(struct spilert *rt);
/** Ends the user engine: everything goes on without it. */
void rt_drop_ptrace(struct spilert *rt);
/** For libbpf's ring buffer: struct spilert as `ctx`. */
int rt_take_record(void *ctx, void *record, size_t size);
/** For the user engine, and files: struct spilert as `ctx`. */
void rt_process_handler(void *ctx, unsigned site, const struct vm_task *task, const void *regs, size_t size);

/** Waits for events until the end; then detaches, runs the end or error handlers, prints and reports. Returns the exit
 *  status. */
int rt_run(struct spilert *rt);

// ---- rt_globals.c

/** Prints the variables that nothing reads; `with_read`: all others, too. `shown`: by map, those that have been shown in another way, or NULL. */
void rt_show_globals(struct spilert *rt, const bool *shown, bool with_read);

// ---- rt_unseen.c

/** An option, which spile-run goes without. */
struct spilert_unseen {
	/** From here on it is known what handlers change. */
	void (*start)(struct spilert *rt);
	/** Tells why no process was seen to hit a probe, when that is plain. */
	void (*tell)(const struct spilert *rt);
};
extern const struct spilert_unseen spilert_unseen; // spilert.h, too

// ---- rt_flame.c

/** Opens the file of --flamegraph. */
struct sp_err *rt_flame_open(struct spilert *rt);
/** Reads the arrays, when the options ask for them, and marks them in `shown`; flame_deinit() is right in any case. */
void rt_flame_read(struct spilert *rt, struct flame *ret, bool *shown);
struct sp_err *rt_flame_show(struct spilert *rt, const struct flame *flame);

/** Ends the file of --perf-data. */
struct sp_err *rt_perf_data_end(struct spilert *rt);
/** Draws the file of --plot. */
struct sp_err *rt_plot_end(struct spilert *rt);

// ---- rt_samples.c

/** Reads the files of perf.data probes. */
struct sp_err *rt_samples_start(struct spilert *rt);
/** Runs handlers for some of their samples; behind the last one the session ends. */
void rt_samples_take(struct spilert *rt);
void rt_samples_end(struct spilert *rt);

// ---- rt_procfs.c

/** Makes the files of procfs probes. */
struct sp_err *rt_files_start(struct spilert *rt);
/** Can be read when rt_files_serve() has something to do; -1: there are no files. */
int rt_files_fd(const struct spilert *rt);
void rt_files_serve(struct spilert *rt);
void rt_files_end(struct spilert *rt);
/** For transport.value: struct spilert as `ctx`. */
void rt_file_value(void *ctx, const struct sp_buf *text, bool more);
/** Runs the handlers of the file of that name for what `peer` writes; NULL: what comes from the standard input. How much of it they are
 *  given is returned. */
size_t rt_file_written(struct spilert *rt, const char *name, const struct files_peer *peer, const char *text, size_t size);

// ---- rt_input.c

/** When the script reads the standard input, that is the script's from here on: commands have /dev/null in its place. */
struct sp_err *rt_input_take(struct spilert *rt);
/** A terminal gives each character as it is typed, when the script asks for characters, until rt_input_end(). */
void rt_input_start(struct spilert *rt);
/** Can be read when rt_input_serve() has something to do; -1: nothing is read. */
int rt_input_fd(const struct spilert *rt);
void rt_input_serve(struct spilert *rt);
void rt_input_end(struct spilert *rt);

// ---- rt_metrics.c

/** Opens the port of --prometheus, when the options ask for it. */
struct sp_err *rt_metrics_open(struct spilert *rt);
/** Makes a text for the server, which has asked for it. */
void rt_metrics_give(struct spilert *rt);
void rt_metrics_close(struct spilert *rt);
/** What has been lost so far. */
void rt_take_losses(struct spilert *rt, struct account *ret);

// ---- rt_web.c

/** Opens the port of --web, when the options ask for it, and tells the address. */
struct sp_err *rt_web_open(struct spilert *rt);
/** Begins to look at what the page asks for, and at the time. */
struct sp_err *rt_web_start(struct spilert *rt);
/** What can be read when there is something to do: -1 behind the last one. */
int rt_web_fd(const struct spilert *rt, unsigned index);
/** Does what the page asks for, and shows how things are. */
void rt_web_look(struct spilert *rt);
/** Shows how things are. This and those below do nothing without a page. */
void rt_web_give(struct spilert *rt);
/** A part of the output, or a message. */
void rt_web_text(struct spilert *rt, const char *text, size_t len);
void rt_web_message(struct spilert *rt, enum sp_log_level level, const char *text);
/** The run has ended: tells the page, which gets a while to take that. */
void rt_web_end(struct spilert *rt);
void rt_web_close(struct spilert *rt);

// ---- rt_web_data.c

/** Appends how things are: objects of JSON, a line each. The first one has the `state` ("running"), and the number of the text. */
void rt_web_put(struct sp_buf *out, struct spilert *rt, const char *state);

// ---- rt_sandbox.c

/** Gives up what the process does not need any more, when opts.sandbox asks for it. */
struct sp_err *rt_sandbox(struct spilert *rt);
/** Does it run commands, which have the user's privileges? */
bool rt_runs_commands(const struct spilert *rt);

// ---- rt_overload.c

/** Begins to look at how much of the CPUs handlers take, when the options ask for it. To be called before they are attached. */
struct sp_err *rt_overload_start(struct spilert *rt);
void rt_overload_end(struct spilert *rt);
/** Looks, if it is time: pauses handlers, or ends the script with a report. */
void rt_overload_look(struct spilert *rt);
/** How long the loop may wait for events, in ms; -1: that is no matter. */
int rt_overload_timeout(const struct spilert *rt);

// ---- rt_watch.c

/** When the options have a watch: begins to call it. */
struct sp_err *rt_watch_start(struct spilert *rt);
/** The time has come, or the terminal can be read. */
void rt_watch_look(struct spilert *rt);

// ---- rt_uevents.c

/** Does the session have something for each processor, so that it has to open the same on one that comes online? */
bool rt_is_per_cpu(const struct spilert *rt);
/** Listens to what the kernel tells of modules that are probed, and of processors. To be called before probes are attached. */
struct sp_err *rt_uevents_start(struct spilert *rt);
void rt_uevents_stop(struct spilert *rt);
/** The kernel has told something. */
void rt_uevents_look(struct spilert *rt);

// ---- rt_modules.c

/** Notes which kernel modules are probed. */
void rt_modules_note(struct spilert *rt);
/** Notes which of them are loaded. To be called when the kernel's uevents are listened to, and before they are probed. */
void rt_modules_begin(struct spilert *rt);
/** Is the site in a module that is not loaded? */
bool rt_waits_for_module(const struct spilert *rt, unsigned site);
/** Sets the probes of modules that have come, and takes those away of modules that have gone. */
void rt_modules_look(struct spilert *rt);

/** Takes the probes of a program (SP_NONE: of all) in an object (SP_NONE: in all) out of the kernel. */
void rt_detach_part(struct spilert *rt, uint32_t prog, uint32_t object);

// ---- rt_replaced.c

/** Notes which files are probed. To be called before they are, and when the kernel's engine has opened those that it probes. */
void rt_programs_note(struct spilert *rt);
/** Watches them, and takes what has changed since they were noted. To be called when the target runs: it may take long. */
void rt_programs_watch(struct spilert *rt);
/** Sets probes in files that have taken the place of such, and are of the same build; warns of the others. */
void rt_programs_look(struct spilert *rt);
/** Warns of those that nobody has seen so far, at the end. */
void rt_programs_tell(struct spilert *rt);

// ---- rt_frames.c

/** What spilert_opts.frames knows of an address; for symbols_set_source(), with the session as `ctx`. */
int rt_frames(void *ctx, const struct symbols_place *place, struct symbols_frame *ret);

#endif
