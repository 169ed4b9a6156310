// SPDX-License-Identifier: GPL-2.0-or-later
/** What handlers print as a file of `perf record`, for `perf script` and `perf report`: --perf-data. Each printf is an event like a
 *  tracepoint, spile:FUNCTION, whose fields are the values that it prints. A stack among them is the sample's callchain, and the code
 *  of processes is told with build-ids. */
#ifndef SP_RUNTIME_PERF_WRITER_H
#define SP_RUNTIME_PERF_WRITER_H

#include "runtime/base/err.h"
#include "runtime/print/record_values.h"

struct perf_writer;

struct spilert_perf_writer {
	/** `path` is emptied. */
	struct sp_err *(*open)(const char *path, struct perf_writer **ret);
	/** Adds a sample of a record that says who has printed it; others have no place in such a file. */
	void (*record)(struct perf_writer *writer, const struct record *record);
	/** Ends the file, which nobody can read before. `wall_offset` is added to CLOCK_MONOTONIC for the time of day; `command`: what
	 *  people call the run. The first failure to write is returned. */
	struct sp_err *(*close)(struct perf_writer *writer, int64_t wall_offset, const char *command);
};
extern const struct spilert_perf_writer spilert_perf_writer; // spilert.h, too

#endif
