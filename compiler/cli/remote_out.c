// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/remote_out.h"

#include "runtime/base/json.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define FULL (1u << 20)
#define MAX_LINE (16u << 20) // longer ones are torn: the memory is bounded
#define CHUNK 4096 // so much goes into a pipe that poll(2) calls writable, without waiting

bool remote_sink_is_empty(const struct remote_sink *sink)
{
	return sink->at == sink->waiting.len;
}

bool remote_sink_is_full(const struct remote_sink *sink)
{
	return sink->waiting.len - sink->at > FULL;
}

static bool is_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) == 1;
}

static void clear(struct remote_sink *sink)
{
	sp_buf_clear(&sink->waiting);
	sink->at = 0;
}

void remote_sink_give_up(struct remote_sink *sink)
{
	sink->errno_value = EINTR;
	sink->n_unread = sink->waiting.len - sink->at;
	clear(sink);
}

void remote_sink_write(struct remote_sink *sink)
{
	size_t before = sink->at;

	while (!sink->errno_value && !remote_sink_is_empty(sink) && is_writable(sink->fd)) {
		ssize_t n = write(sink->fd, sink->waiting.data + sink->at, SP_MIN(sink->waiting.len - sink->at, (size_t)CHUNK));

		if (n >= 0)
			sink->at += (size_t)n;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			sink->errno_value = errno;
	}
	if (sink->at > before || remote_sink_is_empty(sink))
		sink->taken_at = sp_now_ns();
	if (sink->errno_value || remote_sink_is_empty(sink)) {
		clear(sink);
	} else if (sink->at > FULL) {
		memmove(sink->waiting.data, sink->waiting.data + sink->at, sink->waiting.len - sink->at);
		sink->waiting.len -= sink->at;
		sink->at = 0;
	}
}

void remote_sink_deinit(struct remote_sink *sink)
{
	sp_buf_deinit(&sink->waiting);
}

// The end of the text that begins here; NULL: it has none.
static const char *skip_text(const char *quote)
{
	const char *c = quote + 1;

	while (*c && *c != '"')
		c += *c == '\\' && c[1] ? 2 : 1;
	return *c ? c : NULL;
}

// Could the member of this name be taken for the host?
static bool names_host(const char *quote, const char *end)
{
	size_t len = (size_t)(end - quote - 1);

	return end[1 + strspn(end + 1, " \t\r")] == ':' && (memchr(quote, '\\', len) || (len == 4 && strncmp(quote + 1, "host", 4) == 0));
}

// Is the line one object, which does not say itself what host it is of?
static bool is_object(const char *line)
{
	unsigned depth = 0;

	if (!sp_starts_with(line, "{\"type\":"))
		return false;
	for (const char *c = line; *c; c++) {
		const char *end = *c == '"' ? skip_text(c) : c;

		if (!end || (depth == 1 && *c == '"' && names_host(c, end)))
			return false;
		c = end;
		depth += *c == '{' || *c == '[';
		depth -= *c == '}' || *c == ']';
		if (!depth)
			return !c[1];
	}
	return false;
}

// {"host":"db1","type":"print",...}: the object of the line, and the host. What a command prints that a script runs is no object:
// {"host":"db1","type":"text","text":"line"}
static void put_object(struct remote_stream *stream)
{
	struct sp_buf *out = &stream->sink->waiting;

	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "host", stream->label);
	if (is_object(sp_buf_str(&stream->part))) {
		sp_buf_putc(out, ',');
		sp_buf_puts(out, stream->part.data + 1);
		sp_buf_putc(out, '\n');
		return;
	}
	sp_json_text(out, "type", "text");
	sp_json_text(out, "text", sp_buf_str(&stream->part));
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

// Bytes that are 0 would end the text.
static void add_text(struct sp_buf *out, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			sp_buf_putc(out, bytes[i]);
		else
			sp_buf_puts(out, "\uFFFD");
}

static void put_line(struct remote_stream *stream, const char *bytes, size_t len)
{
	struct sp_buf *out = &stream->sink->waiting;

	if (stream->json) {
		add_text(&stream->part, bytes, len);
		put_object(stream);
		sp_buf_clear(&stream->part);
		return;
	}
	sp_buf_puts(out, stream->label);
	sp_buf_puts(out, ": ");
	sp_buf_add(out, stream->part.data, stream->part.len);
	sp_buf_add(out, bytes, len);
	sp_buf_putc(out, '\n');
	sp_buf_clear(&stream->part);
}

void remote_stream_add(struct remote_stream *stream, const char *bytes, size_t len)
{
	const char *end = bytes + len, *newline;

	if (stream->sink->errno_value) {
		stream->sink->n_unread += len;
		return;
	}
	if (!stream->label) {
		sp_buf_add(&stream->sink->waiting, bytes, len);
		return;
	}
	while (bytes < end && (newline = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		put_line(stream, bytes, (size_t)(newline - bytes));
		bytes = newline + 1;
	}
	if (stream->json)
		add_text(&stream->part, bytes, (size_t)(end - bytes));
	else
		sp_buf_add(&stream->part, bytes, (size_t)(end - bytes));
	if (stream->part.len > MAX_LINE)
		put_line(stream, "", 0);
}

void remote_stream_end(struct remote_stream *stream)
{
	if (stream->part.len && !stream->sink->errno_value)
		put_line(stream, "", 0);
	sp_buf_deinit(&stream->part);
}
