// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions without the kernel's help: order of handlers, exit, errors, time, -c, -x, -G, what is printed at the end.
#define _GNU_SOURCE // pipe2

#include "runtime/include/spilert.h"

#include "bundle_make.h"
#include "expect.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

// What a handler with one record does: `prog` sends `event`, for SP_EVENT_FORMAT format `id`.
#define SEND(event, prog, id)                                                                      \
	ST(H, BPF_REG_10, -56, event), ST(H, BPF_REG_10, -54, prog), ST(W, BPF_REG_10, -52, id),   \
		ST(W, BPF_REG_10, -48, SP_RT_DIVISION), ST(W, BPF_REG_10, -44, 0), ST(DW, BPF_REG_10, -40, 0), \
		ST(DW, BPF_REG_10, -32, 0), ST(DW, BPF_REG_10, -24, 0), ST(DW, BPF_REG_10, -16, 0),   \
		MOV_R(BPF_REG_1, BPF_REG_10), ALU64_I(ADD, BPF_REG_1, -56),                        \
		MOV_I(BPF_REG_2, (event) == SP_EVENT_ERROR ? sizeof(struct sp_event_error) : 8), CALL(SP_VM_EMIT)
#define SAY(prog, id) SEND(SP_EVENT_FORMAT, prog, id)
#define DONE MOV_I(BPF_REG_0, 0), EXIT()

static void collect_log(void *ctx, enum spilert_level level, const char *text)
{
	static const char *const names[] = { "ERROR", "WARNING", "INFO", "DEBUG" };

	sp_buf_printf(ctx, "%s: %s\n", names[level], text);
}

struct outcome {
	int status, command_status;
	struct sp_buf out, log;
};

static void outcome_deinit(struct outcome *outcome)
{
	sp_buf_deinit(&outcome->out);
	sp_buf_deinit(&outcome->log);
}

// All phases, as the tool has them.
static void run(struct bundle_make *make, struct spilert_opts opts, struct outcome *ret)
{
	int (*const phases[])(struct spilert *) = { spilert_prepare, spilert_load, spilert_attach, spilert_run };
	struct spilert *rt = NULL;
	char chunk[4096];
	int fds[2];
	size_t size;
	ssize_t n;
	char *bytes = bm_finish(make, &size);

	*ret = (struct outcome){ 0 };
	if (pipe2(fds, O_CLOEXEC))
		return;
	opts.log = collect_log;
	opts.log_ctx = &ret->log;
	opts.out_fd = fds[1];
	ret->status = spilert_open_memory(bytes, size, &opts, &rt);
	for (size_t i = 0; i < SP_ARRAY_SIZE(phases) && !ret->status; i++)
		ret->status = phases[i](rt);
	ret->command_status = rt ? spilert_command_status(rt) : 0;
	spilert_close(rt);
	close(fds[1]);
	while ((n = read(fds[0], chunk, sizeof(chunk))) > 0)
		sp_buf_add(&ret->out, chunk, (size_t)n);
	close(fds[0]);
	free(bytes);
	bm_deinit(make);
}

static struct sp_site *site_of(struct bundle_make *make, unsigned index)
{
	return &((struct sp_site *)make->sites.data)[index];
}

// begin(1), begin, end(2), end(1), error; each prints its name; what begin(1) does besides is `last`.
static void make_order(struct bundle_make *make, unsigned last)
{
	const struct bpf_insn begin1[] = { SAY(0, 0), SEND(last, 0, last == SP_EVENT_ERROR ? UINT32_MAX : 0), DONE };
	const struct bpf_insn begin[] = { SAY(1, 1), DONE }, end2[] = { SAY(2, 2), DONE }, end1[] = { SAY(3, 3), DONE },
			      error[] = { SAY(4, 4), DONE }, later[] = { SAY(5, 5), DONE };
	static const char *const texts[] = { "begin(1)\n", "begin\n", "end(2)\n", "end(1)\n", "error\n", "begin(2)\n" };

	bm_init(make);
	BM_PROG(make, SP_SITE_BEGIN, "begin(1)", begin1);
	BM_PROG(make, SP_SITE_BEGIN, "begin", begin);
	BM_PROG(make, SP_SITE_END, "end(2)", end2);
	BM_PROG(make, SP_SITE_END, "end(1)", end1);
	BM_PROG(make, SP_SITE_ERROR, "error", error);
	BM_PROG(make, SP_SITE_BEGIN, "begin(2)", later);
	site_of(make, 0)->args.session.order = site_of(make, 3)->args.session.order = 1;
	site_of(make, 2)->args.session.order = site_of(make, 5)->args.session.order = 2;
	for (size_t i = 0; i < SP_ARRAY_SIZE(texts); i++)
		bm_format(make, SP_FORMAT_PRINT, texts[i], "", 0);
}

static void check_order(void)
{
	struct spilert_opts opts = SPILERT_OPTS_INIT;
	struct bundle_make make;
	struct outcome got;

	make_order(&make, SP_EVENT_EXIT);
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 0);
	EXPECT_STR(sp_buf_str(&got.out), "begin\nbegin(1)\nend(1)\nend(2)\n");
	outcome_deinit(&got);

	make_order(&make, SP_EVENT_ERROR);
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 1);
	EXPECT_STR(sp_buf_str(&got.out), "begin\nbegin(1)\nerror\n");
	EXPECT_HAS(sp_buf_str(&got.log), "ERROR: division by 0");
	outcome_deinit(&got);

	// An exit in begin: the command is not even started.
	make_order(&make, SP_EVENT_EXIT);
	opts.command = "touch started";
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 0);
	EXPECT(access("started", F_OK));
	outcome_deinit(&got);
}

static void make_timer(struct bundle_make *make)
{
	const struct bpf_insn tick[] = {
		LD_AREA(BPF_REG_1, SP_VM_AREA_DATA, 64 + SP_LOSS_COUNT * 8 * 2), LDX(DW, BPF_REG_2, BPF_REG_1, 0),
		ALU64_I(ADD, BPF_REG_2, 1), STX(DW, BPF_REG_1, BPF_REG_2, 0), JMP_I(JNE, BPF_REG_2, 1003, 13),
		SEND(SP_EVENT_EXIT, 0, 0), DONE,
	};
	const struct bpf_insn end[] = { SAY(1, 0), DONE };

	bm_init(make);
	BM_PROG(make, SP_SITE_TIMER, "timer.ms(1)", tick);
	BM_PROG(make, SP_SITE_END, "end", end);
	bm_global(make, "ticks", 'l', 8);
	bm_global(make, "text", 's', 16);
	((struct sp_global *)make->globals.data)[0].flags = SP_GLOBAL_UNREAD;
	((struct sp_global *)make->globals.data)[1].flags = SP_GLOBAL_UNREAD;
	bm_format(make, SP_FORMAT_PRINT, "end\n", "", 0);
}

static void check_timer_and_globals(void)
{
	static const char *const good[] = { "ticks=1000", "text=hello", NULL }, *const bad[] = { "tick=1", NULL },
				 *const bad_number[] = { "ticks=1x", NULL }, *const too_long[] = { "text=0123456789abcdef", NULL };
	const char *const *const wrong[] = { bad, bad_number, too_long };
	struct spilert_opts opts = SPILERT_OPTS_INIT;
	struct bundle_make make;
	struct outcome got;

	make_timer(&make);
	opts.globals = good;
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 0);
	EXPECT_STR(sp_buf_str(&got.out), "end\nticks=1003\ntext=\"hello\"\n");
	outcome_deinit(&got);
	for (size_t i = 0; i < SP_ARRAY_SIZE(wrong); i++) {
		make_timer(&make);
		opts.globals = wrong[i];
		run(&make, opts, &got);
		EXPECT_NUM(got.status, 2);
		EXPECT_HAS(sp_buf_str(&got.log), wrong[i][0]);
		outcome_deinit(&got);
	}
	make_timer(&make);
	opts = (struct spilert_opts)SPILERT_OPTS_INIT;
	opts.seconds = 0.05;
	site_of(&make, 0)->args.timer.period = 3600000000000;
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 0);
	EXPECT_STR(sp_buf_str(&got.out), "end\nticks=0\ntext=\"\"\n");
	outcome_deinit(&got);
}

static void check_command(void)
{
	struct spilert_opts opts = SPILERT_OPTS_INIT;
	struct bundle_make make;
	struct outcome got;

	make_timer(&make);
	site_of(&make, 0)->args.timer.period = 3600000000000;
	opts.command = "exit 5";
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 1);
	EXPECT_STR(sp_buf_str(&got.log), "WARNING: exit 5 exited with status: 5\n");
	EXPECT_NUM(WEXITSTATUS(got.command_status), 5);
	EXPECT_HAS(sp_buf_str(&got.out), "end\n");
	outcome_deinit(&got);

	make_timer(&make);
	opts.command = "/no/such/command";
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 1);
	EXPECT_HAS(sp_buf_str(&got.log), "cannot run the command `/no/such/command`");
	outcome_deinit(&got);

	make_timer(&make);
	opts.command = NULL;
	opts.pid = 0x3fffff;
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 1);
	EXPECT_HAS(sp_buf_str(&got.log), "4194303");
	outcome_deinit(&got);
}

static void check_losses(void)
{
	struct spilert_opts opts = SPILERT_OPTS_INIT;
	struct bundle_make make;
	struct outcome got;
	uint64_t counters[12] = { [0] = 3, [6 + 1] = 1 }; // drops of program 0, skips of program 1

	make_order(&make, SP_EVENT_EXIT);
	sp_buf_fill(&make.data, '\0', sizeof(struct sp_control));
	sp_buf_add(&make.data, counters, sizeof(counters));
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 0);
	EXPECT_STR(sp_buf_str(&got.log), "WARNING: Number of errors: 0, skipped probes: 1\n"
			 "WARNING: 3 events of begin(1) were lost (the ring buffer was full: -s MB makes it larger)\n"
					 "WARNING: 1 event of begin was lost (handlers nested too deeply)\n");
	outcome_deinit(&got);
}

// A process() probe whose object is this program, with another build-id.
static void make_process(struct bundle_make *make, bool wrong_id)
{
	const struct bpf_insn code[] = { DONE };
	struct sp_object *object;

	bm_init(make);
	BM_PROG(make, SP_SITE_UPROBE, "process.function(\"main\")", code);
	object = &((struct sp_object *)make->objects.data)[0];
	object->path = bm_text(make, "/proc/self/exe");
	sp_buf_putc(&make->strings, '\0');
	object->build_id_len = wrong_id ? 4 : 0;
	memcpy(object->build_id, "\xde\xad\xbe\xef", 4);
}

static void check_process(void)
{
	struct spilert_opts opts = SPILERT_OPTS_INIT;
	struct bundle_make make;
	struct outcome got;

	make_process(&make, true);
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 4);
	EXPECT_HAS(sp_buf_str(&got.log), "build-id deadbeef, but here its build-id is");
	outcome_deinit(&got);

	make_process(&make, false);
	opts.engine = SPILERT_ENGINE_USER;
	run(&make, opts, &got);
	EXPECT_NUM(got.status, 3);
	EXPECT_HAS(sp_buf_str(&got.log), "-c COMMAND or -x PID");
	outcome_deinit(&got);
}

static void check_phases(void)
{
	struct spilert_opts opts = SPILERT_OPTS_INIT;
	struct sp_buf log = { 0 };
	struct bundle_make make;
	struct spilert *rt = NULL;
	char *bytes;
	size_t size;

	opts.log = collect_log;
	opts.log_ctx = &log;
	make_timer(&make);
	bytes = bm_finish(&make, &size);
	EXPECT_NUM(spilert_open_memory(bytes, size, &opts, &rt), 0);
	EXPECT_NUM(spilert_load(rt), 2);
	EXPECT_HAS(sp_buf_str(&log), "phases");
	spilert_close(rt);
	rt = NULL;
	EXPECT_NUM(spilert_open_memory(bytes, size / 2, &opts, &rt), 1);
	EXPECT(!rt);
	EXPECT_NUM(spilert_open_file("/no/such/file", &opts, &rt), 1);
	opts.command = "true";
	opts.pid = 1;
	EXPECT_NUM(spilert_open_memory(bytes, size, &opts, &rt), 2);
	free(bytes);
	bm_deinit(&make);
	sp_buf_deinit(&log);
	spilert_close(NULL);
}

int main(void)
{
	check_order();
	check_timer_and_globals();
	check_command();
	check_losses();
	check_process();
	check_phases();
	return expect_status();
}
