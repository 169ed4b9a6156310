// SPDX-License-Identifier: GPL-2.0-or-later
/** The bytes of a perf.data file that is written: records, and what stands around them. Times are of CLOCK_MONOTONIC. */
#ifndef SP_RUNTIME_PERF_FILE_H
#define SP_RUNTIME_PERF_FILE_H

#include "runtime/abi/event.h"
#include "runtime/base/buf.h"

#define PERF_FILE_HEADER 104 // bytes before the records
/** What the samples of all events have; some have PERF_SAMPLE_CALLCHAIN, too. */
#define PERF_FILE_SAMPLE_TYPE                                                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |     \
	 PERF_SAMPLE_RAW)

struct perf_file_event {
	uint32_t id; // from 1 on; also what a tracepoint's number is
	uint64_t sample_type;
	const char *name, *format; // of the system "spile"; as tracefs has it
};

struct perf_file_build_id {
	const char *path;
	const uint8_t *bytes;
	uint8_t len;
	bool is_kernel;
};

struct perf_file {
	struct perf_file_event *events;
	size_t n_events;
	struct perf_file_build_id *build_ids;
	size_t n_build_ids;
	uint64_t size; // bytes of records
	int64_t wall_offset;
	const char *command;
};

struct perf_file_map {
	uint32_t pid;
	uint64_t start, end, offset;
	const char *path;
	const uint8_t *build_id; // NULL: MMAP, not MMAP2
	uint8_t build_id_len;
};

void perf_file_u32(struct sp_buf *out, uint32_t number);
void perf_file_u64(struct sp_buf *out, uint64_t number);

/** The parts of a sample, in this order; the chains only of events that have them. */
void perf_file_sample(struct sp_buf *body, uint32_t event, uint64_t ip, const struct sp_event_who *who);
void perf_file_chains(struct sp_buf *body, const struct sp_buf *kernel, const struct sp_buf *user);
void perf_file_raw(struct sp_buf *body, const struct sp_buf *raw);
/** Whole bodies; returns what the record's `misc` has for it. */
uint16_t perf_file_map(struct sp_buf *body, const struct perf_file_map *map, const struct sp_event_who *who);
void perf_file_comm(struct sp_buf *body, const char *comm, const struct sp_event_who *who);
void perf_file_put_record(struct sp_buf *out, uint32_t type, uint16_t misc, const struct sp_buf *body);

/** What stands behind the records, and what belongs before them. */
void perf_file_end(struct sp_buf *out, struct sp_buf *header, const struct perf_file *file);

#endif
