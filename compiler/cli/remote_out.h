// SPDX-License-Identifier: GPL-2.0-or-later
/** What many hosts print becomes one output: lines are never torn, nor mixed, and nobody waits for a slow reader but the hosts. */
#ifndef SP_CLI_REMOTE_OUT_H
#define SP_CLI_REMOTE_OUT_H

#include "runtime/base/buf.h"

/** A file that is written as far as it takes it at the moment. */
struct remote_sink {
	int fd;
	struct sp_buf waiting;
	size_t at; // what is before has been written
	uint64_t taken_at; // ns, of sp_now_ns(): when it has last taken something, or nothing was waiting
	int errno_value; // why it cannot be written any more; 0
	size_t n_unread; // bytes that were not written since it was given up
};

/** Nanoseconds of a clock that nobody sets. */

bool remote_sink_is_empty(const struct remote_sink *sink);
/** Is so much waiting that the hosts are to wait, too? */
bool remote_sink_is_full(const struct remote_sink *sink);
void remote_sink_write(struct remote_sink *sink);
/** Nobody waits for its reader any more: what waits now or comes later is not written, but counted. */
void remote_sink_give_up(struct remote_sink *sink);
void remote_sink_deinit(struct remote_sink *sink);

/** What one host prints. */
struct remote_stream {
	struct remote_sink *sink;
	const char *label; // begins each line; NULL: bytes pass as they are
	bool json; // a line is an object with the label and the text
	struct sp_buf part; // a line that has not ended
};

void remote_stream_add(struct remote_stream *stream, const char *bytes, size_t len);
/** No more comes: a line that has not ended is ended. */
void remote_stream_end(struct remote_stream *stream);

#endif
