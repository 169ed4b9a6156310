// SPDX-License-Identifier: GPL-2.0-or-later
/** Files of `perf record` (perf.data), read: what events they are of, and their records one after the other. Files and pipes (`perf
 *  record -o -`), of either byte order, compressed ones, too. The bytes are untrusted: nothing is read behind their end, and what makes no
 *  sense is an error, or not there. */
#ifndef SP_BASE_PERF_DATA_H
#define SP_BASE_PERF_DATA_H

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

/** Records that perf itself adds to the kernel's (enum perf_event_type). */
enum sp_perf_type {
#define SP_PERF_RECORD(name, number) SP_PERF_##name = (number),
#include "runtime/base/perf_record.def"
#undef SP_PERF_RECORD
};
/** "PERF_RECORD_MMAP2"; NULL: not known. */
const char *sp_perf_type_name(uint32_t type);

/** Parts of the file beside the records. */
enum sp_perf_feature {
#define SP_PERF_FEATURE(name, number) SP_PERF_HAS_##name = (number),
#include "runtime/base/perf_feature.def"
#undef SP_PERF_FEATURE
};
#define SP_PERF_FEATURES 256
/** "BUILD_ID"; NULL: not known. */
const char *sp_perf_feature_name(unsigned feature);

struct sp_perf_section {
	uint64_t offset, size;
};

/** What has been recorded: one perf_event_attr. */
struct sp_perf_event {
	uint32_t type;
	uint64_t config, sample_type, read_format, branch_type;
	bool has_sample_id; // records that are no samples have ids and times, too
	bool uses_monotonic; // times are of CLOCK_MONOTONIC
	const char *name; // as the file has it, or "system:name" of its tracepoint; NULL: neither
	const char *format; // the tracepoint's fields as tracefs describes them (sp_tracefs_field_parse); NULL: none
};

struct sp_perf_build_id {
	const char *path;
	uint8_t size, id[20];
};

struct sp_perf_format {
	uint32_t id; // perf_event_attr.config
	const char *name; // "system:name"
	const char *text;
};

struct sp_perf_data {
	struct sp_arena arena;
	const uint8_t *bytes;
	size_t size;
	bool is_mapped; // the bytes are a file's
	bool is_swapped; // of the other byte order than this machine's
	bool is_pipe; // no sections: all is in the records
	bool is_open; // perf record did not get to its end, so nobody has said how long the records are
	uint64_t header_size, attr_size;
	struct sp_perf_section attrs, data, event_types;
	bool has_feature[SP_PERF_FEATURES];
	struct sp_perf_section features[SP_PERF_FEATURES];
	SP_VEC(struct sp_perf_event) events;
	struct sp_hash by_id; // number of an event -> its place in `events`, from 1 on
	SP_VEC(struct sp_perf_build_id) build_ids;
	SP_VEC(struct sp_perf_format) formats;
	const char *host, *release, *arch, *command; // NULL: the file does not say
	uint64_t n_ids; // of all events
	bool has_clock;
	int64_t wall_offset; // to be added to times for the time of day
};

/** `size` is the struct's; on failure it is as sp_perf_data_close() leaves it. */
struct sp_err *sp_perf_data_open(const char *path, struct sp_perf_data *ret);
/** The same of bytes that stay where they are; `name` is for the error. */
struct sp_err *sp_perf_data_read(const void *bytes, size_t size, const char *name, struct sp_perf_data *ret);
void sp_perf_data_close(struct sp_perf_data *data);
/** The event that has this number; NULL: none. */
struct sp_perf_event *sp_perf_event_of(const struct sp_perf_data *data, uint64_t id);

// ---- records

struct sp_perf_record {
	uint32_t type;
	uint16_t misc;
	const uint8_t *bytes; // after the head of 8 bytes
	size_t size;
	const uint8_t *behind; // SP_PERF_AUXTRACE, SP_PERF_TRACING_DATA: what follows the record and belongs to it
	size_t behind_size;
	uint64_t offset; // in the file; of a compressed one, of what it is in
};

struct sp_perf_zstd;

struct sp_perf_walk {
	const struct sp_perf_data *data;
	uint64_t at, end; // offsets in the file
	uint64_t n_bytes; // that were walked
	const char *stop; // why the records end before `end`; NULL: they do not
	uint64_t stop_at; // offset
	const char *not_unpacked; // why compressed records are not looked into; NULL: they are
	struct sp_perf_zstd *zstd;
	struct sp_buf unpacked; // and not yet walked from unpacked_at on
	size_t unpacked_at;
	uint64_t packed_offset;
};

void sp_perf_walk_begin(struct sp_perf_walk *walk, const struct sp_perf_data *data);
/** The next record, whose bytes are there until the next call. Those that are in compressed records follow these. */
bool sp_perf_walk_next(struct sp_perf_walk *walk, struct sp_perf_record *ret);
void sp_perf_walk_end(struct sp_perf_walk *walk);

/** Whose and when; what a record does not tell is 0. */
struct sp_perf_who {
	const struct sp_perf_event *event; // NULL: not known
	uint64_t time, id;
	uint32_t pid, tid, cpu;
};
/** Of a record that is no sample: of its end. */
void sp_perf_who(const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_perf_who *ret);

struct sp_perf_sample {
	struct sp_perf_who who;
	uint64_t ip, addr, period;
	const uint8_t *chain; // n_chain words of 8 bytes, for sp_perf_u64(): the innermost address first, and among them PERF_CONTEXT_*
	size_t n_chain;
	const uint8_t *raw;
	size_t raw_size;
};
/** False: it is not what its event says. */
bool sp_perf_sample(const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_perf_sample *ret);

/** MMAP or MMAP2. */
struct sp_perf_mmap {
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode; // 0: it does not say
	bool is_executable;
	uint8_t build_id_size, build_id[20];
	const char *path;
};
bool sp_perf_mmap(const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_perf_mmap *ret);

/** COMM, FORK or EXIT. */
struct sp_perf_task {
	uint32_t pid, tid, parent, parent_tid;
	const char *comm; // COMM
};
bool sp_perf_task(const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_perf_task *ret);

// ---- bytes of either order

/** Numbers, from the first on; behind the end they are 0, and `is_short` is set. */
struct sp_perf_cursor {
	const uint8_t *at, *end;
	bool is_swapped, is_short;
};
struct sp_perf_cursor sp_perf_cursor(const struct sp_perf_data *data, const void *bytes, size_t size);
uint32_t sp_perf_u32(struct sp_perf_cursor *cursor);
uint64_t sp_perf_u64(struct sp_perf_cursor *cursor);
/** NULL: there are fewer. */
const uint8_t *sp_perf_bytes(struct sp_perf_cursor *cursor, uint64_t size);
/** A text that ends with a NUL; NULL: it does not. */
const char *sp_perf_text(struct sp_perf_cursor *cursor);

#endif
