// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/perf_data.h"

#include "runtime/base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#define MAGIC "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
#define PIPE_HEADER 16
#define HEADER 104
#define ATTR_MIN 64 // PERF_ATTR_SIZE_VER0
#define ATTR_MAX 4096
#define BUILD_ID_FIXED 36 // a head of 8 bytes, the pid, the id with its padding
#define BUILD_ID_HAS_SIZE 0x8000u // misc
#define CLOCK_DATA_VERSION 1
#define SYSTEM_MAX 256 // of the name of a part of the kernel, which each of its events gets

// Bits of perf_event_attr behind its read_format, counted from the first that is declared.
#define ATTR_SAMPLE_ID_ALL 18
#define ATTR_USE_CLOCKID 25

const char *sp_perf_type_name(uint32_t type)
{
	switch (type) {
#define SP_PERF_RECORD(name, number)                                                                                               \
	case number:                                                                                                               \
		return "PERF_RECORD_" #name;
#include "runtime/base/perf_record.def"
#undef SP_PERF_RECORD
	}
	return NULL;
}

const char *sp_perf_feature_name(unsigned feature)
{
	switch (feature) {
#define SP_PERF_FEATURE(name, number)                                                                                              \
	case number:                                                                                                               \
		return #name;
#include "runtime/base/perf_feature.def"
#undef SP_PERF_FEATURE
	}
	return NULL;
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

struct sp_perf_cursor sp_perf_cursor(const struct sp_perf_data *data, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	return (struct sp_perf_cursor){ at, size ? at + size : at, data->is_swapped, false };
}

const uint8_t *sp_perf_bytes(struct sp_perf_cursor *cursor, uint64_t size)
{
	const uint8_t *at = cursor->at;

	if (size > (uint64_t)(cursor->end - at)) {
		cursor->is_short = true;
		return NULL;
	}
	cursor->at += size;
	return at;
}

uint32_t sp_perf_u32(struct sp_perf_cursor *cursor)
{
	const uint8_t *at = sp_perf_bytes(cursor, 4);
	uint32_t number = 0;

	if (at)
		memcpy(&number, at, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap32(number) : number;
}

uint64_t sp_perf_u64(struct sp_perf_cursor *cursor)
{
	const uint8_t *at = sp_perf_bytes(cursor, 8);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap64(number) : number;
}

const char *sp_perf_text(struct sp_perf_cursor *cursor)
{
	const uint8_t *end = memchr(cursor->at, '\0', (size_t)(cursor->end - cursor->at));

	if (!end)
		cursor->is_short = true;
	return end ? (const char *)sp_perf_bytes(cursor, (uint64_t)(end - cursor->at) + 1) : NULL;
}

// The bytes of a section; none when they are not all there.
static struct sp_perf_cursor section(const struct sp_perf_data *data, struct sp_perf_section at)
{
	bool is_there = at.offset <= data->size && at.size <= data->size - at.offset;

	return sp_perf_cursor(data, data->bytes + (is_there ? at.offset : 0), is_there ? at.size : 0);
}

static struct sp_perf_section read_section(struct sp_perf_cursor *c)
{
	uint64_t offset = sp_perf_u64(c);

	return (struct sp_perf_section){ offset, sp_perf_u64(c) };
}

// A length, and so many bytes with the text and its NULs.
static const char *padded_text(struct sp_perf_data *data, struct sp_perf_cursor *c)
{
	uint32_t size = sp_perf_u32(c);
	const char *text = (const char *)sp_perf_bytes(c, size);

	return text ? sp_arena_strndup(&data->arena, text, strnlen(text, size)) : NULL;
}

// ---- events ---------------------------------------------------------------------------------------------------------

// The first bit that is declared is the highest one of machines that begin numbers with their highest byte.
static bool attr_bit(uint64_t bits, unsigned n, bool is_big)
{
	return bits >> (is_big ? 63 - n : n) & 1;
}

// An attribute of `size` bytes, as it begins in all versions.
static bool read_attr(struct sp_perf_cursor *c, uint64_t size, struct sp_perf_event *ret)
{
	const uint8_t *bytes = size >= ATTR_MIN && size <= ATTR_MAX ? sp_perf_bytes(c, size) : NULL;
	struct sp_perf_cursor attr;
	uint64_t bits;

	if (!bytes)
		return false;
	attr = (struct sp_perf_cursor){ bytes, bytes + size, c->is_swapped, false };
	*ret = (struct sp_perf_event){ .type = sp_perf_u32(&attr) };
	sp_perf_u32(&attr); // its size when it was recorded
	ret->config = sp_perf_u64(&attr);
	sp_perf_u64(&attr); // the period
	ret->sample_type = sp_perf_u64(&attr);
	ret->read_format = sp_perf_u64(&attr);
	bits = sp_perf_u64(&attr);
	bool is_big = c->is_swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	ret->has_sample_id = attr_bit(bits, ATTR_SAMPLE_ID_ALL, is_big);
	bool uses_clockid = attr_bit(bits, ATTR_USE_CLOCKID, is_big);
	sp_perf_u64(&attr), sp_perf_u64(&attr), sp_perf_u64(&attr); // wakeup_events, bp_type; config1; config2
	ret->branch_type = size >= 80 ? sp_perf_u64(&attr) : 0;
	if (size >= 96) { // sample_regs_user, sample_stack_user, clockid
		sp_perf_u64(&attr);
		sp_perf_u32(&attr);
		ret->uses_monotonic = uses_clockid && sp_perf_u32(&attr) == CLOCK_MONOTONIC;
	}
	return true;
}

// The numbers of the event that is added next: all that are left there. False: they are more than a file of this size has without
// saying some of them twice, as one could that wants all memory.
static bool read_ids(struct sp_perf_data *data, struct sp_perf_cursor *c)
{
	uint64_t n = (uint64_t)(c->end - c->at) / sizeof(uint64_t);

	data->n_ids += n;
	if (data->n_ids > data->size / sizeof(uint64_t))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t id = sp_perf_u64(c);
		void **place = sp_hash_insert(&data->by_id, &id, sizeof(id));

		if (!*place)
			*place = (void *)(uintptr_t)(data->events.n + 1);
	}
	return true;
}

struct sp_perf_event *sp_perf_event_of(const struct sp_perf_data *data, uint64_t id)
{
	void **place = sp_hash_find(&data->by_id, &id, sizeof(id));

	return place ? &data->events.v[(uintptr_t)*place - 1] : NULL;
}

// Each is an attribute, and a section of ids.
static struct sp_err *read_attrs(struct sp_perf_data *data, const char *name)
{
	struct sp_perf_cursor c = section(data, data->attrs);
	struct sp_perf_event event;

	if (data->attr_size < ATTR_MIN + 16 || data->attr_size > ATTR_MAX)
		return sp_err_new(SP_ERR_FORMAT, "\"%s\" has attributes of %" PRIu64 " bytes", name, data->attr_size);
	while (read_attr(&c, data->attr_size - 16, &event)) {
		struct sp_perf_section where = read_section(&c);
		struct sp_perf_cursor ids = section(data, where);

		if (c.is_short)
			break;
		if (!read_ids(data, &ids))
			return sp_err_new(SP_ERR_FORMAT, "\"%s\" says the numbers of its events in places that overlap", name);
		sp_vec_push(&data->events, event);
	}
	if (!data->events.n)
		return sp_err_new(SP_ERR_FORMAT, "\"%s\" says of no event that it was recorded", name);
	return NULL;
}

// ---- parts ----------------------------------------------------------------------------------------------------------

// For each event its attribute, its name and its ids, in the order of the attributes.
static void read_names(struct sp_perf_data *data, struct sp_perf_cursor c)
{
	uint32_t n = sp_perf_u32(&c), attr_size = sp_perf_u32(&c);

	for (uint32_t i = 0; i < n && !c.is_short; i++) {
		struct sp_perf_event event;
		uint32_t n_ids;

		if (!read_attr(&c, attr_size, &event))
			return;
		n_ids = sp_perf_u32(&c);
		const char *name = padded_text(data, &c);

		sp_perf_bytes(&c, n_ids * sizeof(uint64_t));
		if (i < data->events.n && name && *name)
			data->events.v[i].name = name;
	}
}

static void add_build_id(struct sp_perf_data *data, uint16_t misc, struct sp_perf_cursor c)
{
	struct sp_perf_build_id build_id = { .size = sizeof(build_id.id) };
	const uint8_t *id;

	sp_perf_u32(&c); // the virtual machine
	id = sp_perf_bytes(&c, 24);
	if (!id)
		return;
	memcpy(build_id.id, id, sizeof(build_id.id));
	if (misc & BUILD_ID_HAS_SIZE)
		build_id.size = SP_MIN(id[20], (uint8_t)sizeof(build_id.id));
	build_id.path = sp_arena_strndup(&data->arena, (const char *)c.at, strnlen((const char *)c.at, (size_t)(c.end - c.at)));
	sp_vec_push(&data->build_ids, build_id);
}

static uint16_t swapped16(const struct sp_perf_data *data, const uint8_t *at)
{
	uint16_t number;

	memcpy(&number, at, sizeof(number));
	return data->is_swapped ? __builtin_bswap16(number) : number;
}

static void read_build_ids(struct sp_perf_data *data, struct sp_perf_cursor c)
{
	while (c.end - c.at >= BUILD_ID_FIXED) {
		uint16_t misc = swapped16(data, c.at + 4), size = swapped16(data, c.at + 6);
		const uint8_t *bytes = size >= BUILD_ID_FIXED ? sp_perf_bytes(&c, size) : NULL;

		if (!bytes)
			return;
		add_build_id(data, misc, sp_perf_cursor(data, bytes + 8, size - 8u));
	}
}

static void read_command(struct sp_perf_data *data, struct sp_perf_cursor c)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	uint32_t n = sp_perf_u32(&c);

	for (uint32_t i = 0; i < n && !c.is_short; i++) {
		const char *word = padded_text(data, &c);

		if (word)
			sp_buf_printf(&text, "%s%s", text.len ? " " : "", word);
	}
	data->command = sp_arena_strdup(&data->arena, sp_buf_str(&text));
}

static void read_clock(struct sp_perf_data *data, struct sp_perf_cursor c)
{
	uint32_t version = sp_perf_u32(&c);
	uint64_t wall, clock;

	sp_perf_u32(&c); // which clock: that of the records' times
	wall = sp_perf_u64(&c);
	clock = sp_perf_u64(&c);
	data->has_clock = version == CLOCK_DATA_VERSION && !c.is_short;
	data->wall_offset = data->has_clock ? (int64_t)(wall - clock) : 0;
}

// ---- formats of tracepoints -----------------------------------------------------------------------------------------

static void add_format(struct sp_perf_data *data, const char *system, const uint8_t *bytes, size_t size)
{
	char *text = sp_arena_strndup(&data->arena, (const char *)bytes, strnlen((const char *)bytes, size));
	struct sp_perf_format format = { .text = text };
	const char *id = strstr(text, "\nID: ");

	if (!sp_starts_with(text, "name: ") || !id)
		return;
	format.id = (uint32_t)strtoul(id + strlen("\nID: "), NULL, 10);
	format.name = sp_arena_printf(&data->arena, "%s:%.*s", system, (int)strcspn(text + 6, "\n"), text + 6);
	sp_vec_push(&data->formats, format);
}

// A file that was copied: its size, and its bytes.
static const uint8_t *copied_file(struct sp_perf_cursor *c, uint64_t *size_ret)
{
	*size_ret = sp_perf_u64(c);
	return sp_perf_bytes(c, *size_ret);
}

static bool skip_named_file(struct sp_perf_cursor *c, const char *name)
{
	const char *found = sp_perf_text(c);
	uint64_t size;

	return found && sp_streq(found, name) && copied_file(c, &size);
}

// As `perf record` and trace-cmd copy it from tracefs.
static void read_formats(struct sp_perf_data *data, struct sp_perf_cursor c)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint8_t *begin = sp_perf_bytes(&c, sizeof(magic));
	uint32_t n;
	uint64_t size;

	if (!begin || memcmp(begin, magic, sizeof(magic)) != 0 || !sp_perf_text(&c))
		return;
	sp_perf_bytes(&c, 2); // byte order, size of long
	sp_perf_u32(&c); // size of a page
	if (!skip_named_file(&c, "header_page") || !skip_named_file(&c, "header_event"))
		return;
	n = sp_perf_u32(&c);
	for (uint32_t i = 0; i < n && !c.is_short; i++) // of ftrace itself
		copied_file(&c, &size);
	n = sp_perf_u32(&c);
	for (uint32_t i = 0; i < n && !c.is_short; i++) {
		const char *system = sp_perf_text(&c);
		uint32_t n_events = sp_perf_u32(&c);

		if (system && strlen(system) > SYSTEM_MAX)
			return;
		for (uint32_t k = 0; system && k < n_events && !c.is_short; k++) {
			const uint8_t *bytes = copied_file(&c, &size);

			if (bytes)
				add_format(data, system, bytes, size);
		}
	}
}

static void read_feature(struct sp_perf_data *data, uint64_t feature, struct sp_perf_cursor c)
{
	switch (feature) {
	case SP_PERF_HAS_TRACING_DATA:
		read_formats(data, c);
		break;
	case SP_PERF_HAS_BUILD_ID:
		read_build_ids(data, c);
		break;
	case SP_PERF_HAS_HOSTNAME:
		data->host = padded_text(data, &c);
		break;
	case SP_PERF_HAS_OSRELEASE:
		data->release = padded_text(data, &c);
		break;
	case SP_PERF_HAS_ARCH:
		data->arch = padded_text(data, &c);
		break;
	case SP_PERF_HAS_CMDLINE:
		read_command(data, c);
		break;
	case SP_PERF_HAS_EVENT_DESC:
		read_names(data, c);
		break;
	case SP_PERF_HAS_CLOCK_DATA:
		read_clock(data, c);
		break;
	}
}

// Behind the records is a table of sections, one for each bit of the header.
static void read_features(struct sp_perf_data *data)
{
	struct sp_perf_cursor table = { 0 };
	uint64_t begin = data->data.offset + data->data.size;

	if (begin >= data->data.offset && begin <= data->size)
		table = sp_perf_cursor(data, data->bytes + begin, data->size - begin);
	for (unsigned i = 0; i < SP_PERF_FEATURES; i++) {
		if (!data->has_feature[i])
			continue;
		data->features[i] = read_section(&table);
		if (table.is_short)
			data->has_feature[i] = false;
		else
			read_feature(data, i, section(data, data->features[i]));
	}
}

// ---- the file -------------------------------------------------------------------------------------------------------

static struct sp_err *read_header(struct sp_perf_data *data, struct sp_perf_cursor *c, const char *name)
{
	uint64_t words[SP_PERF_FEATURES / 64];

	data->attr_size = sp_perf_u64(c);
	data->attrs = read_section(c);
	data->data = read_section(c);
	data->event_types = read_section(c);
	for (unsigned i = 0; i < SP_ARRAY_SIZE(words); i++)
		words[i] = sp_perf_u64(c);
	if (c->is_short)
		return sp_err_new(SP_ERR_FORMAT, "\"%s\" ends within its header", name);
	for (unsigned i = 0; i < SP_PERF_FEATURES; i++)
		data->has_feature[i] = words[i / 64] >> i % 64 & 1;
	if (data->data.offset > data->size || data->data.offset < HEADER)
		return sp_err_new(SP_ERR_FORMAT, "the records of \"%s\" begin at byte %" PRIu64 " of %zu", name, data->data.offset,
				  data->size);
	data->is_open = !data->data.size;
	SP_TRY(read_attrs(data, name));
	read_features(data);
	return NULL;
}

// A pipe tells in records what a file has in sections.
static void read_pipe_record(struct sp_perf_data *data, const struct sp_perf_record *record)
{
	struct sp_perf_cursor c = sp_perf_cursor(data, record->bytes, record->size);
	struct sp_perf_event event;

	if (record->type == SP_PERF_ATTR) {
		uint32_t size = 0;
		struct sp_perf_cursor copy = c;

		sp_perf_u32(&copy);
		size = sp_perf_u32(&copy);
		if (!read_attr(&c, size, &event) || !read_ids(data, &c))
			return;
		sp_vec_push(&data->events, event);
	} else if (record->type == SP_PERF_FEATURE) {
		uint64_t feature = sp_perf_u64(&c);

		if (feature < SP_PERF_FEATURES)
			data->has_feature[feature] = true;
		read_feature(data, feature, c);
	} else if (record->type == SP_PERF_TRACING_DATA) {
		read_formats(data, sp_perf_cursor(data, record->behind, record->behind_size));
	} else if (record->type == SP_PERF_BUILD_ID) {
		add_build_id(data, record->misc, c);
	} else if (record->type == SP_PERF_EVENT_UPDATE) {
		uint64_t what = sp_perf_u64(&c), id = sp_perf_u64(&c);
		const char *name = what == 2 ? sp_perf_text(&c) : NULL;

		struct sp_perf_event *of = name ? sp_perf_event_of(data, id) : NULL;

		if (of)
			of->name = sp_arena_strdup(&data->arena, name);
	}
}

static void read_pipe(struct sp_perf_data *data)
{
	struct sp_perf_record record;
	struct sp_perf_walk walk;

	data->is_pipe = data->is_open = true;
	data->data.offset = PIPE_HEADER;
	sp_perf_walk_begin(&walk, data);
	while (sp_perf_walk_next(&walk, &record))
		read_pipe_record(data, &record);
	sp_perf_walk_end(&walk);
}

static void find_formats(struct sp_perf_data *data)
{
	sp_cleanup(sp_hash_deinit) struct sp_hash by_id = { 0 };
	enum { TRACEPOINT = 2 };

	sp_vec_each(format, &data->formats)
		*sp_hash_insert(&by_id, &format->id, sizeof(format->id)) = format;
	sp_vec_each(event, &data->events) {
		uint32_t id = (uint32_t)event->config;
		void **found = event->type == TRACEPOINT && event->config == id ? sp_hash_find(&by_id, &id, sizeof(id)) : NULL;
		const struct sp_perf_format *format = found ? *found : NULL;

		if (!format)
			continue;
		event->format = format->text;
		event->name = event->name ? event->name : format->name;
	}
}

struct sp_err *sp_perf_data_read(const void *bytes, size_t size, const char *name, struct sp_perf_data *ret)
{
	struct sp_perf_cursor c;
	const char *magic;

	*ret = (struct sp_perf_data){ .bytes = bytes, .size = size };
	sp_arena_init(&ret->arena);
	c = sp_perf_cursor(ret, bytes, size);
	magic = (const char *)sp_perf_bytes(&c, 8);
	if (!magic || (memcmp(magic, MAGIC, 8) != 0 && memcmp(magic, MAGIC_SWAPPED, 8) != 0)) {
		sp_perf_data_close(ret);
		return sp_err_new(SP_ERR_FORMAT, "\"%s\" is no file of perf record: it does not begin with %s", name, MAGIC);
	}
	ret->is_swapped = c.is_swapped = memcmp(magic, MAGIC_SWAPPED, 8) == 0;
	ret->header_size = sp_perf_u64(&c);
	if (ret->header_size == PIPE_HEADER) {
		read_pipe(ret);
	} else {
		struct sp_err *err = read_header(ret, &c, name);

		if (err) {
			sp_perf_data_close(ret);
			return err;
		}
	}
	find_formats(ret);
	return NULL;
}

struct sp_err *sp_perf_data_open(const char *path, struct sp_perf_data *ret)
{
	sp_cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sp_err *err;
	struct stat st;
	void *bytes;

	if (fd < 0 || fstat(fd, &st))
		return sp_err_errno(errno, "cannot open \"%s\"", path);
	if (S_ISDIR(st.st_mode))
		return sp_err_new(SP_ERR_FORMAT, "\"%s\" is a folder (of perf record --threads): give the files `data.*` in it", path);
	if (!st.st_size)
		return sp_err_new(SP_ERR_FORMAT, "\"%s\" is empty", path);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return sp_err_errno(errno, "cannot read \"%s\"", path);
	err = sp_perf_data_read(bytes, (size_t)st.st_size, path, ret);
	if (err)
		munmap(bytes, (size_t)st.st_size);
	else
		ret->is_mapped = true;
	return err;
}

void sp_perf_data_close(struct sp_perf_data *data)
{
	if (data->is_mapped)
		munmap((void *)(uintptr_t)data->bytes, data->size);
	sp_vec_deinit(&data->events);
	sp_hash_deinit(&data->by_id);
	sp_vec_deinit(&data->build_ids);
	sp_vec_deinit(&data->formats);
	sp_arena_deinit(&data->arena);
	*data = (struct sp_perf_data){ .bytes = NULL };
}
