// SPDX-License-Identifier: GPL-2.0-or-later
// Loading: the kernel's part of the script, tables to unwind with, the machine for the other part, and what carries their output.
#include "runtime/session/rt.h"

#include "runtime/abi/unwind.h"
#include "runtime/abi/uservm.h"
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/load/fixup.h"
#include "runtime/print/perf_writer.h"
#include "runtime/print/plot.h"
#include "runtime/print/processes.h"
#include "runtime/print/stack_key.h"
#include "runtime/unwind/unwind.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// Handlers count rounds of loops for MAXACTION themselves. The VM counts instructions, which also ends a recursion,
// where there are no loops to count.
#define STEPS_PER_ACTION 10000
#define MAX_ANNOUNCED 16 // words of -c that are looked at
#define WORD_ENDS " \t\n;&|()<>\"'`$"

// ---- the kernel's part -----------------------------------------------------------------------------------------------

// The verifier may need seconds, and gives up for signals that are not blocked. Those that end a session end the process then, which has
// nothing to put in order.
static struct sp_err *load_interruptible(struct spilert *rt, const struct load_input *input)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction now;
	struct sp_err *err;
	sigset_t taken;

	sigemptyset(&taken);
	for (size_t i = 0; rt->opts.handle_signals && i < SP_ARRAY_SIZE(ending); i++)
		if (!sigismember(&rt->old_signals, ending[i]) && !sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&taken, ending[i]); // else it would be lost
	pthread_sigmask(SIG_UNBLOCK, &taken, NULL);
	err = load_create(input, &rt->load);
	pthread_sigmask(SIG_BLOCK, &taken, NULL);
	return err;
}

static struct sp_err *load_kernel(struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;
	sp_cleanup_free bool *wanted = sp_calloc(bundle->n_progs, sizeof(*wanted));
	struct load_input input = { .bundle = bundle, .log = &rt->log, .prog_wanted = wanted, .data = rt->own_data,
				    .slots = rt->slots, .n_family = rt->n_family, .layout = &rt->attach.layout };
	bool any = false;

	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		if (rt_is_user_side(rt, site))
			continue;
		wanted[site->prog] = any = true;
	}
	if (!any)
		return NULL;
	if (rt->is_timed)
		SP_TRY(timing_start_kernel(&rt->timing));
	SP_TRY(load_interruptible(rt, &input));
	if (load_data(rt->load))
		rt->data = load_data(rt->load);
	if (load_map(rt->load, SP_MAP_EVENTS) >= 0) {
		rt->ring = ring_buffer__new(load_map(rt->load, SP_MAP_EVENTS), rt_take_record, rt, NULL);
		if (!rt->ring)
			return sp_err_errno(errno, "cannot map the ring buffer");
	}
	return NULL;
}

// Handlers count their rounds themselves; this limit ends the handlers of a .spo that do not.
static uint64_t max_steps(const struct spilert *rt)
{
	const struct sp_control *control = rt->data;
	uint64_t rounds = SP_MAX(control->max_action, control->max_user_action);

	if (!rt->bundle->head->max_action || rounds > UINT64_MAX / STEPS_PER_ACTION)
		return 0;
	return rounds * STEPS_PER_ACTION;
}

bool rt_names_addresses(const struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;

	if (rt->opts.folded || rt->opts.flamegraph || rt->opts.perf_data || stack_key_is_expected(bundle, rt->opts.web))
		return true;
	for (unsigned i = 0; i < bundle->n_fields; i++)
		if (bundle->fields[i].type == SP_SYMBOLS)
			return true;
	for (unsigned i = 0; i < bundle->n_user; i++)
		if (bundle->user[i].code == (BPF_JMP | BPF_CALL) && !bundle->user[i].src_reg && bundle->user[i].imm == SP_VM_SYMBOLS)
			return true;
	return false;
}

static struct store *create_store(const struct spilert *rt)
{
	struct store_kernel kernel = { .order.order = (struct sp_order *)((char *)rt->data + rt->bundle->head->order_offset) };

	if (!rt->load)
		return store_create(rt->bundle, NULL);
	kernel.data = rt->data;
	kernel.map_fds = load_array_fds(rt->load, LOAD_ARRAY);
	kernel.own_fds = load_array_fds(rt->load, LOAD_OWN);
	kernel.short_fds = load_array_fds(rt->load, LOAD_SHORT);
	kernel.order.prog_fd = load_order_fd(rt->load);
	return store_create(rt->bundle, &kernel);
}

// ---- programs that stacks will lead through --------------------------------------------------------------------------

// A word of -c that may name a program.
static void announce_word(struct spilert *rt, const char *word)
{
	sp_cleanup_free char *path = sp_env_program(word);

	if (path)
		unwind_add_program(rt->unwind, path);
}

// The programs of -c, which may be the shell's to find: some more tables do no harm, walks in a program without one end early.
static void announce_command(struct spilert *rt)
{
	const char *at = rt->opts.command;

	for (unsigned n = 0; *at && n < MAX_ANNOUNCED; n++) {
		size_t len;

		at += strspn(at, WORD_ENDS);
		len = strcspn(at, WORD_ENDS);
		sp_cleanup_free char *word = sp_strndup(at, len);

		if (len)
			announce_word(rt, word);
		at += len;
	}
}

static void prepare_unwind(struct spilert *rt)
{
	const struct unwind_fds fds = { load_map(rt->load, SP_MAP_UNWIND_TABLES), load_map(rt->load, SP_MAP_UNWIND_FILES),
					load_map(rt->load, SP_MAP_UNWIND_WANTED), load_map(rt->load, SP_MAP_UNWIND_RULES) };

	if (fds.tables < 0 || fds.files < 0 || fds.wanted < 0)
		return;
	rt->unwind = unwind_create(&fds);
	for (unsigned i = 0; i < rt->bundle->n_objects; i++)
		if (rt->bundle->objects[i].kind == SP_OBJECT_PROGRAM)
			unwind_add_program(rt->unwind, bundle_text(rt->bundle, rt->bundle->objects[i].path));
	if (rt->opts.pid)
		unwind_add_process(rt->unwind, rt->target);
	unwind_add_users(rt->unwind);
	if (rt->opts.command)
		announce_command(rt);
	unwind_update(rt->unwind);
}

// ---- the whole -------------------------------------------------------------------------------------------------------

static void copy_output(void *ctx, const struct sp_buf *text)
{
	rt_web_text(ctx, text->data, text->len);
}

static void listen_to_maps(struct spilert *rt)
{
	struct processes *processes = symbols_processes(rt->symbols);
	struct sp_err *err = symbols_listen(rt->symbols);

	if (rt->unwind) {
		processes->met = unwind_met;
		processes->met_ctx = rt->unwind;
	}
	if (err)
		sp_err_tell(&rt->log, SP_LOG_WARN, sp_err_wrap(err, "addresses of programs that end soon have no names"));
}

void rt_set_clock(struct spilert *rt)
{
	struct sp_control *control = rt->data;

	rt->transport.wall_offset = fixup_wall_offset();
	__atomic_store_n(&control->wall_offset, rt->transport.wall_offset, __ATOMIC_RELAXED);
}

// Not before spilert_supervise(): both processes would end them.
static struct sp_err *open_files(struct spilert *rt)
{
	if (rt->opts.perf_data && rt->opts.perf_writer)
		SP_TRY(rt->opts.perf_writer->open(rt->opts.perf_data, &rt->perf_writer));
	return rt->opts.plot && rt->opts.plotter ? rt->opts.plotter->open(rt->opts.plot, &rt->plot) : NULL;
}

struct sp_err *rt_load(struct spilert *rt)
{
	const struct itimerspec never = { .it_value.tv_sec = INT64_MAX };
	struct vm_env env = { .bundle = rt->bundle, .slots = rt->slots, .transport = &rt->transport };

	timing_init(&rt->timing, rt->bundle);
	rt->is_timed = rt->opts.timing || rt->opts.watch || rt->opts.web || rt->opts.max_overhead > 0 || rt->opts.overload > 0;
	rt->watch.is_off = sp_calloc(rt->bundle->n_progs, sizeof(*rt->watch.is_off));
	rt->watch.goes_on = sp_calloc(rt->bundle->n_progs, sizeof(*rt->watch.goes_on));
	attach_want_files(rt->bundle);
	SP_TRY(open_files(rt));
	SP_TRY(load_kernel(rt));
	rt->store = create_store(rt);
	transport_init(&rt->transport, rt->bundle, &rt->people_log, rt->opts.out_fd);
	SP_TRY(attach_timerfd(CLOCK_REALTIME, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, &rt->clock_fd));
	rt_set_clock(rt);
	if (rt->load)
		prepare_unwind(rt);
	SP_TRY(rt_metrics_open(rt));
	SP_TRY(rt_web_open(rt));
	rt->symbols = symbols_create(rt->target);
	symbols_set_source(rt->symbols, rt->opts.frames ? rt_frames : NULL, rt);
	if (rt->load && rt_names_addresses(rt))
		listen_to_maps(rt);
	rt->transport.symbols = rt->symbols;
	rt->transport.dropped = sp_calloc(rt->bundle->n_progs, sizeof(*rt->transport.dropped));
	rt->transport.gives_up = rt_gives_up;
	rt->transport.ctx = rt;
	rt->transport.deferred = rt_put_off;
	rt->transport.iterate = rt_ask_iteration;
	rt->transport.value = rt_file_value;
	rt->transport.copy = rt->web ? copy_output : NULL;
	SP_TRY(writer_start(rt->opts.out_fd, rt->rotation, &rt->writer_log, &rt->old_signals, rt->opts.sandbox && !rt_runs_commands(rt),
			    &rt->transport.writer));
	rt->transport.json = rt->opts.json;
	rt->transport.perf_writer = rt->perf_writer;
	rt->transport.perf = rt->opts.perf_writer;
	rt->transport.no_warnings = rt->opts.no_warnings;
	rt->transport.errors_are_warnings = rt->opts.suppress_handler_errors;
	if (rt->opts.suppress_handler_errors)
		((struct sp_control *)rt->data)->max_errors = UINT64_MAX;
	env.store = rt->store;
	env.data = rt->data;
	env.is_shared = rt->load;
	env.max_steps = max_steps(rt);
	rt->vm = vm_create(&env);
	return NULL;
}
