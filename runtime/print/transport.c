// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/transport.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/error_text.h"
#include "runtime/base/file.h"
#include "runtime/print/format.h"
#include "runtime/print/json_record.h"
#include "runtime/print/perf_writer.h"
#include "runtime/vm/stat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define FLUSH_AT (64 * 1024)
#define KERNEL_MOST ((size_t)975) // bytes of one message: with its newline LOG_LINE_MAX, behind which the kernel refuses it

void transport_init(struct transport *t, const struct bundle *bundle, const struct sp_log *log,
		    int out_fd)
{
	*t = (struct transport){ .bundle = bundle, .log = log, .out_fd = out_fd };
}

void transport_deinit(struct transport *t)
{
	sp_buf_deinit(&t->pending);
	free(t->dropped);
	t->dropped = NULL;
}

// ---- output ---------------------------------------------------------------------------------------------------------

// Writes all, and waits when a pipe is full. A reader that went away must not kill the process before its probes are detached. Returns 0, or a negative errno.
static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = sp_file_write_quietly(fd, data, len);

		if (n >= 0) {
			data += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			struct pollfd p = { .fd = fd, .events = POLLOUT };

			if (poll(&p, 1, -1) < 0 && errno != EINTR)
				return -errno;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

static int hand_over(struct transport *t)
{
	if (t->copy)
		t->copy(t->ctx, &t->pending);
	writer_text(t->writer, &t->pending);
	if (!t->drops && writer_is_full(t->writer) && !writer_wait(t->writer, WRITER_ROOM / 2, t->gives_up, t->ctx))
		t->gave_up = t->failed = true;
	return -writer_error(t->writer);
}

void transport_flush(struct transport *t)
{
	int ret = 0;

	if (t->pending.len == 0)
		return;
	if (!t->failed)
		ret = t->writer ? hand_over(t) : write_all(t->out_fd, t->pending.data, t->pending.len);
	sp_buf_clear(&t->pending);
	transport_check(t, ret);
}

void transport_check(struct transport *t, int ret)
{
	if (!ret && t->writer)
		ret = -writer_error(t->writer);
	if (!ret || t->failed)
		return;
	t->failed = true;
	// A reader like `head` that has gone wants no more text, and no message.
	sp_log(t->log, ret == -EPIPE ? SP_LOG_INFO : SP_LOG_ERROR, "cannot write the output: %s",
	       strerror(-ret));
}

// ---- the end --------------------------------------------------------------------------------------------------------

static bool is_user_side(const struct transport *t, unsigned prog)
{
	return t->bundle->progs[prog].kind == SP_PROG_USER;
}

// Records of handlers in the kernel come in the order of what they did, so those behind an exit() are too late, and are
// dropped. An exit() of a user-side handler has no place in that order: records that are still on their way were sent
// before it took effect, and are printed.
static void end_session(struct transport *t, unsigned prog)
{
	t->exiting = true;
	t->is_cut = t->is_cut || !is_user_side(t, prog);
}

// ---- run-time errors ------------------------------------------------------------------------------------------------

static const char *label_of(const struct bundle *b, uint64_t map)
{
	const char *label = bundle_text(b, b->maps[map].label);

	return *label ? label : bundle_text(b, b->maps[map].name);
}

// What happened; false when no error has such a code, or such a value.
static bool put_what(struct sp_buf *text, const struct bundle *b, const struct sp_event_error *e,
		     const char *message, size_t room)
{
	if (e->code >= SP_RT_CODE_COUNT)
		return false;
	switch (sp_error_put_what(text, (enum sp_error_code)e->code)) {
	case SP_ERROR_NONE:
		break;
	case SP_ERROR_MESSAGE:
		sp_buf_add(text, message, strnlen(message, room));
		break;
	case SP_ERROR_ADDRESS:
		sp_error_put_address(text, e->value);
		break;
	case SP_ERROR_MAP:
		if (e->value >= b->n_maps)
			return false;
		sp_error_put_map(text, label_of(b, e->value), b->maps[e->value].max_entries);
		break;
	}
	return true;
}

static unsigned n_calls(const struct sp_event_error *e)
{
	unsigned n = 0;

	while (n < SP_EVENT_CALLS && e->calls[n])
		n++;
	return n;
}

static bool are_places(const struct bundle *b, const struct sp_event_error *e)
{
	if (e->head.id != SP_NONE && e->head.id >= b->n_places)
		return false;
	for (unsigned i = 0; i < n_calls(e); i++)
		if (e->calls[i] > b->n_places)
			return false;
	return true;
}

static void put_place(struct sp_buf *text, const struct bundle *b, const struct sp_place *place, const char *what)
{
	if (*what)
		sp_buf_printf(text, " near %s", what);
	sp_buf_printf(text, " at %s:%u:%u", bundle_text(b, place->file), place->line, place->column);
}

// The chain of calls, outermost first. When it is longer than SP_EVENT_CALLS, its outermost calls are not known.
static void put_calls(struct sp_buf *text, const struct bundle *b, const struct sp_event_error *e)
{
	unsigned n = n_calls(e);

	if (n == SP_EVENT_CALLS)
		sp_buf_puts(text, " ...");
	while (n-- > 0) {
		const struct sp_place *place = &b->places[e->calls[n] - 1];
		const char *what = bundle_text(b, place->what), *name = strchr(what, '\'');

		name = name ? name + 1 : what; // of "identifier 'NAME'"
		sp_buf_printf(text, ", calls %.*s", (int)strcspn(name, "'"), name);
		put_place(text, b, place, "");
	}
}

// Where it happened. After error("..."), only with -v: the script has chosen the words itself.
static void put_where(struct sp_buf *text, const struct transport *t, const struct sp_event_error *e)
{
	const struct bundle *b = t->bundle;
	const struct sp_prog *prog = &b->progs[e->head.prog];
	const struct sp_place *place = e->head.id == SP_NONE ? NULL : &b->places[e->head.id];
	bool is_user = e->code == SP_RT_USER;

	if (is_user && (!t->log || t->log->max_level < SP_LOG_INFO))
		return;
	if (place && !is_user)
		put_place(text, b, place, bundle_text(b, place->what));
	sp_buf_printf(text, " (probe %s", bundle_text(b, b->sites[prog->first_site + e->site].point));
	if (place && is_user)
		put_place(text, b, place, "");
	put_calls(text, b, e);
	sp_buf_putc(text, ')');
}

static void warn_broken(struct transport *t, const char *what)
{
	t->is_broken = true;
	sp_log(t->log, SP_LOG_ERROR, "internal error: a record %s was dropped", what);
}

// Is it where a system call is made, which has not fetched the program's memory yet?
static bool is_at_syscall(const struct transport *t, const struct sp_event_error *e)
{
	const struct sp_site *site = &t->bundle->sites[t->bundle->progs[e->head.prog].first_site + e->site];

	return (int64_t)e->value >= 0 && strstr(bundle_text(t->bundle, site->symbol), "sys_enter");
}

// Texts alone have functions that give another text: user_string2().
static void tell_ways_around_fault(const struct transport *t, const struct sp_event_error *e)
{
	const struct bundle *b = t->bundle;
	bool is_text = e->head.id != SP_NONE && strstr(bundle_text(b, b->places[e->head.id].what), "_string");

	sp_log(t->log, SP_LOG_WARN, "no memory there could be read, which ended the script: %s%s%stry { ... } catch { ... } goes on, "
	       "--suppress-handler-errors ends only that run of the handler",
	       is_at_syscall(t, e) ? "the call's .return probe can read it at @entry(address), " : "",
	       !is_text ? "" : (int64_t)e->value < 0 ? "kernel" : "user", is_text ? "_string2(address, text) gives that text instead, " : "");
}

static void record_error(struct transport *t, const void *record, size_t size)
{
	const struct bundle *b = t->bundle;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct sp_event_error e;

	if (size < sizeof(e)) {
		warn_broken(t, "of an error that is too short");
		return;
	}
	memcpy(&e, record, sizeof(e));
	if (!are_places(b, &e) || e.site >= b->progs[e.head.prog].n_sites) {
		warn_broken(t, "of an error at an unknown place");
		return;
	}
	if (!put_what(&text, b, &e, (const char *)record + sizeof(e), size - sizeof(e))) {
		warn_broken(t, "of an unknown error");
		return;
	}
	if (t->json)
		json_record_error(&t->pending, b, bundle_text(b, b->sites[b->progs[e.head.prog].first_site + e.site].point),
				  e.head.id == SP_NONE ? NULL : &b->places[e.head.id], sp_buf_str(&text));
	put_where(&text, t, &e);
	transport_flush(t); // what was printed before comes before
	t->n_errors++;
	if (t->errors_are_warnings) {
		if (!t->no_warnings)
			sp_log(t->log, SP_LOG_WARN, "%s", sp_buf_str(&text));
		return;
	}
	sp_log(t->log, SP_LOG_ERROR, "%s", sp_buf_str(&text));
	if (t->n_errors <= b->head->max_errors)
		return;
	if (e.code == SP_RT_READ_FAULT && !t->exiting && !t->no_warnings)
		tell_ways_around_fault(t, &e);
	end_session(t, e.head.prog);
}

// ---- text -----------------------------------------------------------------------------------------------------------

// Appends the object of the record; its text is put into `text`.
static void put_json(struct transport *t, const char *type, const struct sp_format *format, const void *record, struct sp_buf *text)
{
	const struct json_record r = { { t->bundle, t->symbols, format, record }, t->wall_offset, type };

	json_record_put(&t->pending, &r, text);
}

static void record_print(struct transport *t, const struct sp_format *format, const void *record)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	if (t->perf_writer)
		t->perf->record(t->perf_writer, &(struct record){ t->bundle, t->symbols, format, record });
	if (t->json) {
		put_json(t, "print", format, record, &text);
		return;
	}
	format_record(&t->pending, t->bundle, t->symbols, format, record);
	if (format->kind == SP_FORMAT_LOG)
		sp_buf_putc(&t->pending, '\n');
}

static void record_warning(struct transport *t, const struct sp_format *format, const void *record)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	if (t->no_warnings)
		return;
	if (t->json)
		put_json(t, "warning", format, record, &text);
	else
		format_record(&text, t->bundle, t->symbols, format, record);
	if (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	transport_flush(t);
	sp_log(t->log, SP_LOG_WARN, "%s", sp_buf_str(&text));
}

static void record_command(struct transport *t, const struct sp_format *format, const void *record)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	format_record(&text, t->bundle, t->symbols, format, record);
	transport_flush(t); // what was printed before comes before
	if (t->writer)
		writer_command(t->writer, sp_buf_str(&text));
	else
		writer_run_command(t->log, NULL, sp_buf_str(&text));
}

static void record_iteration(struct transport *t, const struct sp_format *format, const void *record)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };

	format_record(&name, t->bundle, t->symbols, format, record);
	if (t->iterate)
		t->iterate(t->ctx, sp_buf_str(&name));
}

static void record_value(struct transport *t, const struct sp_format *format, const void *record, bool more)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	format_record(&text, t->bundle, t->symbols, format, record);
	if (t->value)
		t->value(t->ctx, &text, more);
}

// Refusals are told once.
static void record_to_kernel(struct transport *t, const struct sp_format *format, const void *record, const char *path)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	sp_cleanup_close int fd = -1;

	format_record(&text, t->bundle, t->symbols, format, record);
	text.len = SP_MIN(text.len, KERNEL_MOST);
	sp_buf_putc(&text, '\n'); // without it the log waits for more of the line
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if ((fd < 0 || write(fd, text.data, text.len) < 0) && !t->is_refused) {
		sp_log(t->log, SP_LOG_WARN, "cannot write to %s: %s", path,
		       errno == EBADF ? "tracing is switched off (tracing_on)" : strerror(errno));
		t->is_refused = true;
	}
}

static void record_format(struct transport *t, uint32_t id, const void *record, size_t size)
{
	const struct sp_format *format;

	if (id >= t->bundle->n_formats || size < t->bundle->formats[id].record_size) {
		warn_broken(t, "that does not fit its format");
		return;
	}
	format = &t->bundle->formats[id];
	switch ((enum sp_format_kind)format->kind) {
	case SP_FORMAT_PRINT:
	case SP_FORMAT_LOG:
		record_print(t, format, record);
		break;
	case SP_FORMAT_WARN:
		record_warning(t, format, record);
		break;
	case SP_FORMAT_SYSTEM:
		record_command(t, format, record);
		break;
	case SP_FORMAT_ITER:
		record_iteration(t, format, record);
		break;
	case SP_FORMAT_VALUE_SET:
	case SP_FORMAT_VALUE_ADD:
		record_value(t, format, record, format->kind == SP_FORMAT_VALUE_ADD);
		break;
	case SP_FORMAT_KERNEL_LOG:
		record_to_kernel(t, format, record, "/dev/kmsg");
		break;
	case SP_FORMAT_TRACE_MARKER:
		record_to_kernel(t, format, record, "/sys/kernel/tracing/trace_marker");
		break;
	case SP_FORMAT_STRING:
	case SP_FORMAT_PART:
	case SP_FORMAT_DEFERRED:
	case SP_FORMAT_KIND_COUNT:
		warn_broken(t, "of a string");
		break;
	}
	if (t->pending.len >= FLUSH_AT)
		transport_flush(t);
}

void transport_hist(struct transport *t, unsigned map, enum sp_stat what, const uint64_t *buckets)
{
	const struct sp_map *of = &t->bundle->maps[map];

	if (t->json)
		json_record_hist(&t->pending, t->bundle, of, what, buckets);
	else
		stat_print(&t->pending, &of->stat, what, buckets);
	if (t->pending.len >= FLUSH_AT)
		transport_flush(t);
}

static void record_hist(struct transport *t, uint32_t map, const void *record, size_t size)
{
	const struct sp_stat_shape *shape;
	sp_cleanup_free uint64_t *buckets = NULL;
	struct sp_event_hist head;
	uint32_t n;

	if (size < sizeof(head) || map >= t->bundle->n_maps || t->bundle->maps[map].kind != SP_MAP_STAT) {
		warn_broken(t, "of a histogram of nothing");
		return;
	}
	shape = &t->bundle->maps[map].stat;
	memcpy(&head, record, sizeof(head));
	n = head.what == SP_STAT_LOG	? sp_stat_words(shape, SP_PART_LOG)
	    : head.what == SP_STAT_LINEAR ? sp_stat_words(shape, SP_PART_LINEAR)
					  : 0;
	if (!n || size - sizeof(head) < n * sizeof(*buckets)) {
		warn_broken(t, "that does not fit its histogram");
		return;
	}
	buckets = sp_malloc(n * sizeof(*buckets));
	memcpy(buckets, (const char *)record + sizeof(head), n * sizeof(*buckets));
	transport_hist(t, map, (enum sp_stat)head.what, buckets);
}

static void record_deferred(struct transport *t, const struct sp_event_head *head, const void *record, size_t size)
{
	const struct sp_prog *prog = &t->bundle->progs[head->prog];

	if (!prog->rest || head->id >= prog->n_sites || size < sizeof(struct sp_deferred) || !t->deferred)
		warn_broken(t, "of a handler that has no rest");
	else
		t->deferred(t->ctx, prog->first_site + head->id, record, size);
}

// Handlers in the kernel are told by the ring buffer that there is no room.
static bool is_to_drop(struct transport *t, const struct sp_event_head *head)
{
	bool is_here = t->traces || is_user_side(t, head->prog);

	if (!t->dropped || (head->kind != SP_EVENT_FORMAT && head->kind != SP_EVENT_HIST))
		return false;
	if (!t->gave_up && !(t->drops && is_here && writer_is_full(t->writer)))
		return false;
	t->dropped[head->prog]++;
	return true;
}

void transport_record(struct transport *t, const void *record, size_t size)
{
	struct sp_event_head head;
	bool is_last;

	if (size < sizeof(head)) {
		warn_broken(t, "that is too short");
		return;
	}
	memcpy(&head, record, sizeof(head));
	is_last = head.kind & SP_EVENT_GOES_ON;
	head.kind &= (uint16_t)~SP_EVENT_GOES_ON;
	if (head.prog >= t->bundle->n_progs || head.kind >= SP_EVENT_KIND_COUNT) {
		warn_broken(t, "of an unknown kind");
		return;
	}
	if (t->is_cut && !is_last && !is_user_side(t, head.prog))
		return;
	if (is_to_drop(t, &head))
		return;
	switch ((enum sp_event_kind)head.kind) {
	case SP_EVENT_FORMAT:
		record_format(t, head.id, record, size);
		break;
	case SP_EVENT_EXIT:
		end_session(t, head.prog);
		break;
	case SP_EVENT_ERROR:
		record_error(t, record, size);
		break;
	case SP_EVENT_HIST:
		record_hist(t, head.id, record, size);
		break;
	case SP_EVENT_DEFERRED:
		record_deferred(t, &head, record, size);
		break;
	case SP_EVENT_KIND_COUNT:
		break;
	}
}
