// SPDX-License-Identifier: GPL-2.0-or-later
// The records of a perf.data file, one after the other, and what is in them.
#include "runtime/base/perf_data.h"

#include "runtime/base/perf_zstd.h"

#include <linux/perf_event.h>

#define HEAD 8

void sp_perf_walk_begin(struct sp_perf_walk *walk, const struct sp_perf_data *data)
{
	uint64_t most = data->size - data->data.offset;

	*walk = (struct sp_perf_walk){ .data = data, .at = data->data.offset };
	walk->end = walk->at + (data->is_open ? most : SP_MIN(data->data.size, most));
}

void sp_perf_walk_end(struct sp_perf_walk *walk)
{
	sp_perf_zstd_close(walk->zstd);
	sp_buf_deinit(&walk->unpacked);
}

static void stop(struct sp_perf_walk *walk, uint64_t at, const char *why)
{
	walk->stop = why;
	walk->stop_at = at;
}

// How many bytes behind a record belong to it: its size is not in its head.
static bool measure_behind(const struct sp_perf_data *data, const struct sp_perf_record *record, uint64_t *ret)
{
	struct sp_perf_cursor c = sp_perf_cursor(data, record->bytes, record->size);

	*ret = 0;
	if (record->type == SP_PERF_AUXTRACE)
		*ret = sp_perf_u64(&c);
	else if (record->type == SP_PERF_TRACING_DATA)
		*ret = SP_ALIGN_UP((uint64_t)sp_perf_u32(&c), 8);
	return !c.is_short;
}

// The record at the beginning of `size` bytes, and how long it is; NULL, or why there is none. A length of 0 then: nor would there be
// with more bytes.
static const char *take(const struct sp_perf_data *data, const uint8_t *bytes, uint64_t size, struct sp_perf_record *ret, uint64_t *len_ret)
{
	struct sp_perf_cursor c = sp_perf_cursor(data, bytes, size);
	uint32_t type = sp_perf_u32(&c);
	uint16_t misc, own;
	uint64_t len;

	*len_ret = HEAD;
	if (size < HEAD)
		return "the head of a record is cut off";
	memcpy(&misc, bytes + 4, sizeof(misc));
	memcpy(&own, bytes + 6, sizeof(own));
	if (data->is_swapped) {
		misc = __builtin_bswap16(misc);
		own = __builtin_bswap16(own);
	}
	len = *len_ret = own >= HEAD ? own : 0;
	if (len < HEAD)
		return own ? "a record is shorter than its head" : "a record has 0 bytes";
	if (len > size)
		return "a record is cut off";
	*len_ret = 0;
	*ret = (struct sp_perf_record){ .type = type, .misc = misc, .bytes = bytes + HEAD, .size = len - HEAD };
	if (!measure_behind(data, ret, &ret->behind_size))
		return "a record is too short for its type";
	if (ret->behind_size > size - len)
		return "what follows a record and belongs to it is cut off";
	ret->behind = bytes + len;
	*len_ret = len + ret->behind_size;
	return NULL;
}

// A record may begin in one compressed record and end in another. What is no record ends the walk, for nobody knows where the next begins.
static bool next_unpacked(struct sp_perf_walk *walk, struct sp_perf_record *ret)
{
	uint64_t len, size = walk->unpacked.len - walk->unpacked_at;
	const char *why;

	if (!size)
		return false;
	why = take(walk->data, (const uint8_t *)walk->unpacked.data + walk->unpacked_at, size, ret, &len);
	if (why && (!len || walk->at == walk->end))
		stop(walk, walk->packed_offset, why);
	if (why)
		return false;
	walk->unpacked_at += len;
	ret->offset = walk->packed_offset;
	return true;
}

static void unpack(struct sp_perf_walk *walk, const struct sp_perf_record *record)
{
	struct sp_perf_cursor c = sp_perf_cursor(walk->data, record->bytes, record->size);
	uint64_t size = record->size;

	if (walk->not_unpacked)
		return;
	if (record->type == SP_PERF_COMPRESSED2)
		size = sp_perf_u64(&c);
	const uint8_t *bytes = sp_perf_bytes(&c, size);

	if (!walk->zstd)
		walk->not_unpacked = sp_perf_zstd_open(&walk->zstd);
	if (walk->not_unpacked || !bytes)
		return;
	size_t left = walk->unpacked.len - walk->unpacked_at;

	if (left)
		memmove(walk->unpacked.data, walk->unpacked.data + walk->unpacked_at, left);
	walk->unpacked.len = left;
	walk->unpacked_at = 0;
	walk->packed_offset = record->offset;
	walk->not_unpacked = sp_perf_zstd_unpack(walk->zstd, bytes, size, &walk->unpacked);
}

bool sp_perf_walk_next(struct sp_perf_walk *walk, struct sp_perf_record *ret)
{
	const char *why;
	uint64_t len;

	if (walk->stop)
		return false;
	if (next_unpacked(walk, ret))
		return true;
	if (walk->stop || walk->at == walk->end)
		return false;
	why = take(walk->data, walk->data->bytes + walk->at, walk->end - walk->at, ret, &len);
	if (why) {
		stop(walk, walk->at, why);
		return false;
	}
	ret->offset = walk->at;
	walk->at += len;
	walk->n_bytes += len;
	if (ret->type == SP_PERF_COMPRESSED || ret->type == SP_PERF_COMPRESSED2)
		unpack(walk, ret);
	return true;
}

// ---- what records have ----------------------------------------------------------------------------------------------

// A file that has one event needs no numbers.
static const struct sp_perf_event *event_of(const struct sp_perf_data *data, uint64_t id)
{
	const struct sp_perf_event *event = sp_perf_event_of(data, id);

	return event || data->events.n != 1 ? event : &data->events.v[0];
}

static uint64_t word_at(const struct sp_perf_data *data, const struct sp_perf_record *record, size_t word)
{
	struct sp_perf_cursor c = sp_perf_cursor(data, record->bytes, record->size);

	return sp_perf_bytes(&c, word * 8) ? sp_perf_u64(&c) : 0;
}

void sp_perf_who(const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_perf_who *ret)
{
	const struct sp_perf_event *first = data->events.n ? &data->events.v[0] : NULL;
	size_t at = record->size / 8;

	*ret = (struct sp_perf_who){ .event = NULL };
	if (!first || !first->has_sample_id || record->type >= SP_PERF_ATTR)
		return;
	if (first->sample_type & PERF_SAMPLE_IDENTIFIER && at)
		ret->id = word_at(data, record, --at);
	if (first->sample_type & PERF_SAMPLE_CPU && at)
		ret->cpu = (uint32_t)word_at(data, record, --at);
	at -= first->sample_type & PERF_SAMPLE_STREAM_ID && at;
	if (first->sample_type & PERF_SAMPLE_ID && at)
		ret->id = word_at(data, record, --at);
	if (first->sample_type & PERF_SAMPLE_TIME && at)
		ret->time = word_at(data, record, --at);
	ret->event = event_of(data, ret->id);
}

// Where the number of the event is: at one place in all samples of the file.
static const struct sp_perf_event *sample_event(const struct sp_perf_data *data, const struct sp_perf_record *record)
{
	uint64_t type = data->events.n ? data->events.v[0].sample_type : 0;
	size_t at = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return event_of(data, word_at(data, record, 0));
	if (!(type & PERF_SAMPLE_ID))
		return event_of(data, 0);
	at = !!(type & PERF_SAMPLE_IP) + !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR);
	return event_of(data, word_at(data, record, at));
}

static void skip_read(struct sp_perf_cursor *c, uint64_t format)
{
	uint64_t n = format & PERF_FORMAT_GROUP ? sp_perf_u64(c) : 1;
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 1u << 4 /* PERF_FORMAT_LOST */);
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	if (n > UINT64_MAX / 64)
		c->is_short = true;
	else
		sp_perf_bytes(c, (n * each + times) * 8);
}

bool sp_perf_sample(const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_perf_sample *ret)
{
	const struct sp_perf_event *event = record->type == SP_PERF_SAMPLE ? sample_event(data, record) : NULL;
	struct sp_perf_cursor c = sp_perf_cursor(data, record->bytes, record->size);
	uint64_t has = event ? event->sample_type : 0;

	*ret = (struct sp_perf_sample){ .who.event = event };
	if (!event)
		return false;
	if (has & PERF_SAMPLE_IDENTIFIER)
		ret->who.id = sp_perf_u64(&c);
	if (has & PERF_SAMPLE_IP)
		ret->ip = sp_perf_u64(&c);
	if (has & PERF_SAMPLE_TID) {
		ret->who.pid = sp_perf_u32(&c);
		ret->who.tid = sp_perf_u32(&c);
	}
	if (has & PERF_SAMPLE_TIME)
		ret->who.time = sp_perf_u64(&c);
	if (has & PERF_SAMPLE_ADDR)
		ret->addr = sp_perf_u64(&c);
	if (has & PERF_SAMPLE_ID)
		ret->who.id = sp_perf_u64(&c);
	if (has & PERF_SAMPLE_STREAM_ID)
		sp_perf_u64(&c);
	if (has & PERF_SAMPLE_CPU) {
		ret->who.cpu = sp_perf_u32(&c);
		sp_perf_u32(&c);
	}
	if (has & PERF_SAMPLE_PERIOD)
		ret->period = sp_perf_u64(&c);
	if (has & PERF_SAMPLE_READ)
		skip_read(&c, event->read_format);
	if (has & PERF_SAMPLE_CALLCHAIN) {
		uint64_t n = sp_perf_u64(&c);

		ret->chain = n <= record->size / 8 ? sp_perf_bytes(&c, n * 8) : NULL;
		ret->n_chain = ret->chain ? n : 0;
		c.is_short = c.is_short || !ret->chain;
	}
	if (has & PERF_SAMPLE_RAW) {
		ret->raw_size = sp_perf_u32(&c);
		ret->raw = sp_perf_bytes(&c, ret->raw_size);
	}
	return !c.is_short;
}

bool sp_perf_mmap(const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_perf_mmap *ret)
{
	struct sp_perf_cursor c = sp_perf_cursor(data, record->bytes, record->size);

	if (record->type != SP_PERF_MMAP && record->type != SP_PERF_MMAP2)
		return false;
	*ret = (struct sp_perf_mmap){ .pid = sp_perf_u32(&c) };
	ret->tid = sp_perf_u32(&c);
	ret->start = sp_perf_u64(&c);
	ret->length = sp_perf_u64(&c);
	ret->offset = sp_perf_u64(&c);
	ret->is_executable = !(record->misc & PERF_RECORD_MISC_MMAP_DATA);
	if (record->type == SP_PERF_MMAP2 && record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		const uint8_t *id = sp_perf_bytes(&c, 24); // the size, 3 unused bytes, the id

		if (id) {
			ret->build_id_size = SP_MIN(id[0], (uint8_t)sizeof(ret->build_id));
			memcpy(ret->build_id, id + 4, sizeof(ret->build_id));
		}
	} else if (record->type == SP_PERF_MMAP2) {
		ret->major = sp_perf_u32(&c);
		ret->minor = sp_perf_u32(&c);
		ret->inode = sp_perf_u64(&c);
		sp_perf_u64(&c); // the inode's generation
	}
	if (record->type == SP_PERF_MMAP2) {
		ret->is_executable = sp_perf_u32(&c) & 4; // PROT_EXEC
		sp_perf_u32(&c);
	}
	ret->path = sp_perf_text(&c);
	return !c.is_short && ret->start + ret->length >= ret->start;
}

bool sp_perf_task(const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_perf_task *ret)
{
	struct sp_perf_cursor c = sp_perf_cursor(data, record->bytes, record->size);
	bool is_comm = record->type == SP_PERF_COMM;

	if (!is_comm && record->type != SP_PERF_FORK && record->type != SP_PERF_EXIT)
		return false;
	*ret = (struct sp_perf_task){ .pid = sp_perf_u32(&c) };
	if (is_comm) {
		ret->tid = sp_perf_u32(&c);
		ret->comm = sp_perf_text(&c);
	} else {
		ret->parent = sp_perf_u32(&c);
		ret->tid = sp_perf_u32(&c);
		ret->parent_tid = sp_perf_u32(&c);
	}
	return !c.is_short;
}
