// SPDX-License-Identifier: GPL-2.0-or-later
// Records become text on the output, lines of the log, and the session's state.
#define _GNU_SOURCE
#include "runtime/print/transport.h"

#include "bundle_make.h"
#include "expect.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PRINT, LOG, WARN, STRING, LINE }; // formats
enum { BEGIN, PROBE }; // programs

static struct bundle *bundle;
static struct sp_buf logged;

static void keep_log(void *ctx, enum sp_log_level level, const char *text)
{
	static const char *const names[] = { "ERROR", "WARNING", "INFO", "DEBUG" };

	(void)ctx;
	sp_buf_printf(&logged, "%s: %s\n", names[level], text);
}

static void make_bundle(void)
{
	const struct bpf_insn code[] = { MOV_I(0, 0), EXIT() };
	struct bundle_make m;
	size_t size;
	char *bytes;
	struct sp_err *err;

	bm_init(&m);
	m.head.max_errors = 1;
	bm_map(&m, "calls", "l", 'l', 0, 2048, 0);
	bm_format(&m, SP_FORMAT_PRINT, "%d\n", "l", 0);
	bm_format(&m, SP_FORMAT_LOG, "%s", "s", 16);
	bm_format(&m, SP_FORMAT_WARN, "%s", "s", 16);
	bm_format(&m, SP_FORMAT_STRING, "%s", "s", 16);
	bm_format(&m, SP_FORMAT_PRINT, "%0512d\n", "l", 0);
	BM_PROG(&m, SP_SITE_BEGIN, "begin", code);
	BM_PROG(&m, SP_SITE_UPROBE, "process(\"./program\").function(\"f\")", code);
	bm_place(&m, 1, 30, "operator '/'");
	bytes = bm_finish(&m, &size);
	err = bundle_open(bytes, size, &bundle);
	EXPECT(!err);
	free(bytes);
	bm_deinit(&m);
}

// ---- sending --------------------------------------------------------------------------------------------------------

static void send_kind(struct transport *t, unsigned kind, unsigned prog, unsigned format, int64_t n)
{
	struct {
		struct sp_event_head head;
		int64_t n;
	} record = { { (uint16_t)kind, (uint16_t)prog, format }, n };

	transport_record(t, &record, sizeof(record));
}

static void send_long(struct transport *t, unsigned prog, unsigned format, int64_t n)
{
	send_kind(t, SP_EVENT_FORMAT, prog, format, n);
}

static void send_text(struct transport *t, unsigned prog, unsigned format, const char *text)
{
	struct {
		struct sp_event_head head;
		char text[16];
	} record = { { SP_EVENT_FORMAT, (uint16_t)prog, format }, "" };

	memcpy(record.text, text, strnlen(text, sizeof(record.text)));
	transport_record(t, &record, sizeof(record));
}

static void send_error(struct transport *t, unsigned prog, uint32_t place, unsigned code, uint64_t value, const char *text)
{
	struct {
		struct sp_event_error error;
		char text[32];
	} record = { .error = { .head = { SP_EVENT_ERROR, (uint16_t)prog, place }, .code = code, .value = value } };

	memcpy(record.text, text, strnlen(text, sizeof(record.text) - 1));
	transport_record(t, &record, sizeof(record.error) + (*text ? sizeof(record.text) : 0));
}

static void send_exit(struct transport *t, unsigned prog)
{
	const struct sp_event_head head = { SP_EVENT_EXIT, (uint16_t)prog, 0 };

	transport_record(t, &head, sizeof(head));
}

// ---- a transport over a file in memory ------------------------------------------------------------------------------

static const struct sp_log quiet = { keep_log, NULL, SP_LOG_WARN }, verbose = { keep_log, NULL, SP_LOG_INFO };

static void start(struct transport *t, const struct sp_log *log)
{
	sp_buf_clear(&logged);
	transport_init(t, bundle, log, memfd_create("out", MFD_CLOEXEC));
}

static const char *written(struct transport *t)
{
	static char text[4096];
	ssize_t len;

	transport_flush(t);
	len = pread(t->out_fd, text, sizeof(text) - 1, 0);
	text[len < 0 ? 0 : len] = '\0';
	return text;
}

static void stop(struct transport *t)
{
	close(t->out_fd);
	transport_deinit(t);
}

static void test_text(void)
{
	struct transport t;

	start(&t, &quiet);
	send_long(&t, PROBE, PRINT, 42);
	send_text(&t, BEGIN, LOG, "logged");
	send_text(&t, BEGIN, WARN, "careful");
	send_text(&t, BEGIN, WARN, "newline\n");
	EXPECT_STR(written(&t), "42\nlogged\n");
	EXPECT_STR(sp_buf_str(&logged), "WARNING: careful\nWARNING: newline\n");
	t.no_warnings = true;
	send_text(&t, BEGIN, WARN, "suppressed");
	EXPECT_STR(sp_buf_str(&logged), "WARNING: careful\nWARNING: newline\n");
	EXPECT(!t.exiting && !t.failed && t.n_errors == 0);
	stop(&t);
}

static void test_exit(void)
{
	struct transport t;

	start(&t, &quiet);
	send_long(&t, PROBE, PRINT, 1);
	send_exit(&t, PROBE);
	EXPECT(t.exiting);
	send_long(&t, PROBE, PRINT, 2); // from another processor: too late
	send_error(&t, PROBE, 0, SP_RT_DIVISION, 0, "");
	send_long(&t, BEGIN, PRINT, 3); // an end handler
	EXPECT_STR(written(&t), "1\n3\n");
	EXPECT_NUM((int64_t)t.n_errors, 0);
	stop(&t);

	// The one that exited goes on.
	start(&t, &quiet);
	send_exit(&t, PROBE);
	send_kind(&t, SP_EVENT_FORMAT | SP_EVENT_GOES_ON, PROBE, PRINT, 4);
	send_long(&t, PROBE, PRINT, 5);
	EXPECT_STR(written(&t), "4\n");
	stop(&t);

	// What the kernel's handlers did before a user-side one exited may arrive behind that.
	start(&t, &quiet);
	send_exit(&t, BEGIN);
	EXPECT(t.exiting);
	send_long(&t, PROBE, PRINT, 6);
	send_exit(&t, PROBE);
	send_long(&t, PROBE, PRINT, 7);
	EXPECT_STR(written(&t), "6\n");
	stop(&t);
}

static void test_calls(void)
{
	struct sp_event_error e = { .head = { SP_EVENT_ERROR, BEGIN, 2 }, .code = SP_RT_DIVISION, .calls = { 3, 1 } };
	struct transport t;

	start(&t, &quiet);
	transport_record(&t, &e, sizeof(e));
	EXPECT_STR(sp_buf_str(&logged), "ERROR: division by 0 near operator '/' at <input>:1:30 (probe begin, calls  "
					"at <input>:1:1, calls / at <input>:1:30)\n");
	sp_buf_clear(&logged);
	for (unsigned i = 0; i < SP_EVENT_CALLS; i++)
		e.calls[i] = 3;
	transport_record(&t, &e, sizeof(e));
	EXPECT_HAS(sp_buf_str(&logged), "(probe begin ..., calls / at");
	sp_buf_clear(&logged);
	e.calls[1] = 4;
	transport_record(&t, &e, sizeof(e));
	EXPECT_HAS(sp_buf_str(&logged), "unknown place");
	stop(&t);
}

static void test_errors(void)
{
	const uint32_t at = 2, none = UINT32_MAX;
	struct transport t;

	start(&t, &quiet);
	send_error(&t, BEGIN, at, SP_RT_DIVISION, 0, "");
	EXPECT_STR(sp_buf_str(&logged), "ERROR: division by 0 near operator '/' at <input>:1:30 (probe begin)\n");
	EXPECT_NUM((int64_t)t.n_errors, 1);
	EXPECT(!t.exiting); // one is allowed
	sp_buf_clear(&logged);
	send_error(&t, PROBE, at, SP_RT_READ_FAULT, 8, "");
	EXPECT_STR(sp_buf_str(&logged), "ERROR: read fault at 0x0000000000000008 near operator '/' at <input>:1:30 "
					"(probe process(\"./program\").function(\"f\"))\n"
					"WARNING: no memory there could be read, which ended the script: try { ... } catch { ... } goes on, "
					"--suppress-handler-errors ends only that run of the handler\n");
	EXPECT(t.exiting);
	sp_buf_clear(&logged);
	send_error(&t, BEGIN, at, SP_RT_MAP_FULL, 0, "");
	EXPECT_STR(sp_buf_str(&logged), "ERROR: Array overflow, check size limit (calls has 2048 elements; -D MAXMAPENTRIES=N gives more) near "
					"operator '/' at <input>:1:30 (probe begin)\n");
	sp_buf_clear(&logged);
	send_error(&t, BEGIN, 0, SP_RT_MAXACTION, 0, "");
	send_error(&t, BEGIN, none, SP_RT_NESTING, 0, "");
	send_error(&t, BEGIN, none, SP_RT_WRITE_FAULT, UINT64_MAX, "");
	send_error(&t, BEGIN, at, SP_RT_USER, 0, "my own words");
	EXPECT_STR(sp_buf_str(&logged), "ERROR: MAXACTION exceeded (-D MAXACTION=N allows more) at <input>:1:1 (probe begin)\n"
					"ERROR: MAXNESTING exceeded (-D MAXNESTING=N allows more) (probe begin)\n"
					"ERROR: write fault at 0xffffffffffffffff (probe begin)\n"
					"ERROR: my own words\n");
	stop(&t);

	start(&t, &verbose);
	send_error(&t, BEGIN, at, SP_RT_USER, 0, "my own words");
	send_error(&t, BEGIN, none, SP_RT_USER, 0, "more");
	EXPECT_STR(sp_buf_str(&logged), "ERROR: my own words (probe begin at <input>:1:30)\nERROR: more (probe begin)\n");
	stop(&t);

	start(&t, &quiet);
	t.errors_are_warnings = true;
	for (int i = 0; i < 5; i++)
		send_error(&t, BEGIN, none, SP_RT_NESTING, 0, "");
	EXPECT_HAS(sp_buf_str(&logged), "WARNING: MAXNESTING exceeded (-D MAXNESTING=N allows more) (probe begin)\n");
	EXPECT(!strstr(sp_buf_str(&logged), "ERROR"));
	EXPECT(!t.exiting && t.n_errors == 5);
	stop(&t);
}

static void test_broken_records(void)
{
	const struct sp_event_head heads[] = {
		{ SP_EVENT_KIND_COUNT, 0, 0 }, { SP_EVENT_FORMAT, 2, 0 }, { SP_EVENT_FORMAT, 0, 5 },
		{ SP_EVENT_FORMAT, 0, 0 }, { SP_EVENT_ERROR, 0, 0 },
	};
	struct transport t;

	start(&t, &quiet);
	EXPECT(!t.is_broken);
	for (size_t i = 0; i < SP_ARRAY_SIZE(heads); i++) {
		sp_buf_clear(&logged);
		transport_record(&t, &heads[i], sizeof(heads[i]));
		EXPECT_HAS(sp_buf_str(&logged), "ERROR: internal error: a record ");
	}
	sp_buf_clear(&logged);
	transport_record(&t, heads, 7);
	EXPECT_HAS(sp_buf_str(&logged), "too short was dropped");
	EXPECT(t.is_broken); // the run ends with status 5
	sp_buf_clear(&logged);
	send_error(&t, BEGIN, 3, SP_RT_DIVISION, 0, "");
	EXPECT_HAS(sp_buf_str(&logged), "unknown place");
	sp_buf_clear(&logged);
	send_error(&t, BEGIN, 0, SP_RT_CODE_COUNT, 0, "");
	send_error(&t, BEGIN, 0, SP_RT_MAP_FULL, 1, "");
	send_text(&t, BEGIN, STRING, "x");
	EXPECT_STR(sp_buf_str(&logged), "ERROR: internal error: a record of an unknown error was dropped\n"
					"ERROR: internal error: a record of an unknown error was dropped\n"
					"ERROR: internal error: a record of a string was dropped\n");
	EXPECT_STR(written(&t), "");
	EXPECT_NUM((int64_t)t.n_errors, 0);
	stop(&t);
}

// ---- outputs that make trouble --------------------------------------------------------------------------------------

static void fill(struct transport *t, unsigned lines)
{
	for (unsigned i = 0; i < lines; i++)
		send_long(t, BEGIN, LINE, i);
}

static void test_no_reader(void)
{
	struct transport t;
	int ends[2];

	sp_buf_clear(&logged);
	EXPECT(pipe(ends) == 0);
	close(ends[0]);
	transport_init(&t, bundle, &quiet, ends[1]);
	send_long(&t, BEGIN, PRINT, 1);
	transport_flush(&t); // SIGPIPE would end this program
	EXPECT(t.failed);
	EXPECT_STR(sp_buf_str(&logged), "");
	fill(&t, 1000);
	transport_flush(&t);
	EXPECT_NUM((int64_t)t.pending.len, 0);
	transport_deinit(&t);
	close(ends[1]);
}

static void test_full_disk(void)
{
	struct transport t;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	sp_buf_clear(&logged);
	transport_init(&t, bundle, &quiet, fd);
	fill(&t, 1000);
	transport_flush(&t);
	EXPECT(t.failed);
	EXPECT_STR(sp_buf_str(&logged), "ERROR: cannot write the output: No space left on device\n"); // once
	transport_deinit(&t);
	close(fd);
}

static void *read_slowly(void *arg)
{
	char block[1000];
	ssize_t n;
	size_t sum = 0;

	while ((n = read(*(int *)arg, block, sizeof(block))) > 0) {
		sum += (size_t)n;
		if (sum % 50000 < 1000)
			usleep(1000);
	}
	return (void *)sum;
}

// A pipe that does not block, read slowly: nothing is lost.
static void test_slow_reader(void)
{
	struct transport t;
	pthread_t reader;
	void *sum = NULL;
	int ends[2];

	sp_buf_clear(&logged);
	EXPECT(pipe2(ends, O_NONBLOCK) == 0);
	EXPECT(fcntl(ends[0], F_SETFL, 0) == 0);
	transport_init(&t, bundle, &quiet, ends[1]);
	pthread_create(&reader, NULL, read_slowly, &ends[0]);
	fill(&t, 1000);
	transport_flush(&t);
	close(ends[1]);
	pthread_join(reader, &sum);
	EXPECT_NUM((int64_t)(intptr_t)sum, 513 * 1000);
	EXPECT(!t.failed);
	transport_deinit(&t);
	close(ends[0]);
}

int main(void)
{
	make_bundle();
	test_text();
	test_exit();
	test_calls();
	test_errors();
	test_broken_records();
	test_no_reader();
	test_full_disk();
	test_slow_reader();
	bundle_close(bundle);
	sp_buf_deinit(&logged);
	return expect_status();
}
