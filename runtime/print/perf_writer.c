// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/perf_writer.h"

#include "runtime/base/util.h"

#include "runtime/base/arena.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/machine/image.h"
#include "runtime/print/perf_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <unistd.h>

#define FLUSH_AT (256 * 1024)
#define RAW_MOST 60000 // bytes: a record has at most 65535
#define COMMON_SIZE 8 // of the fields that all tracepoints have
#define KERNEL_MAP "[kernel.kallsyms]"

enum field_kind { FIELD_SIGNED, FIELD_UNSIGNED, FIELD_TEXT };

struct field {
	enum field_kind kind;
	char *name; // in the arena of what it belongs to
	uint64_t number;
	size_t text, len; // in writer.texts
};

struct event {
	struct perf_file_event file;
	bool has_chain;
};

struct thread {
	char comm[17];
};

struct process {
	struct symbols_told told;
};

struct perf_writer {
	char *path;
	int fd;
	struct sp_err *err; // the first one
	struct sp_buf out; // not yet written
	uint64_t size; // bytes of records
	struct sp_arena arena;
	SP_VEC(struct event) events;
	struct sp_hash by_signature; // index + 1 into events
	struct sp_hash names; // of events
	struct sp_hash threads, processes; // by number
	struct sp_hash build_ids; // path -> struct image_build_id
	bool has_kernel; // its map was told

	// of the record that is being written
	struct sp_arena_mark begin; // of its names
	SP_VEC(struct field) fields;
	struct sp_buf texts, signature;
	struct sp_buf kernel_chain, user_chain; // addresses
	struct symbols *symbols;
};

static struct sp_err *perf_writer_open(const char *path, struct perf_writer **ret)
{
	static const char nothing[PERF_FILE_HEADER];
	struct perf_writer *w;
	int fd;
	struct sp_err *err = sp_file_open_output(path, &fd);

	if (err)
		return err;
	fcntl(fd, F_SETFL, 0); // not added to: the header is written last, at the beginning
	w = sp_calloc(1, sizeof(*w));
	w->path = sp_strdup(path);
	w->fd = fd;
	sp_arena_init(&w->arena);
	sp_buf_add(&w->out, nothing, sizeof(nothing)); // until it is known
	*ret = w;
	return NULL;
}

static void flush(struct perf_writer *w)
{
	if (!w->err)
		w->err = sp_file_write(w->fd, w->path, w->out.data, w->out.len);
	sp_buf_clear(&w->out);
}

// ---- values ---------------------------------------------------------------------------------------------------------

// What perf reads as a name: letters, digits and `_`. "$job->size" is job_size.
static char *plain_name(struct sp_arena *arena, const char *text)
{
	char *name = sp_arena_strdup(arena, text), *to = name;

	for (const char *at = text; *at; at++)
		if (isalnum((unsigned char)*at))
			*to++ = *at;
		else if (to > name && to[-1] != '_')
			*to++ = '_';
	while (to > name && to[-1] == '_')
		to--;
	*to = '\0';
	if (!*name || isdigit((unsigned char)*name) || sp_starts_with(name, "common_"))
		return sp_arena_printf(arena, "v%s%s", *name ? "_" : "", name);
	return name;
}

static bool has_field(const struct perf_writer *w, const char *name)
{
	sp_vec_each(field, &w->fields)
		if (sp_streq(field->name, name))
			return true;
	return false;
}

static struct field *add_field(struct perf_writer *w, const char *name, enum field_kind kind)
{
	struct field field = { .kind = kind, .name = plain_name(&w->arena, name) };
	const char *first = field.name;

	for (unsigned n = 2; has_field(w, field.name); n++)
		field.name = sp_arena_printf(&w->arena, "%s_%u", first, n);
	sp_vec_push(&w->fields, field);
	sp_buf_printf(&w->signature, "%c%s,", "sut"[kind], field.name);
	return &sp_vec_last(&w->fields);
}

static void take_number(void *ctx, const char *name, int64_t number, bool is_signed)
{
	add_field(ctx, name, is_signed ? FIELD_SIGNED : FIELD_UNSIGNED)->number = (uint64_t)number;
}

static void take_text(void *ctx, const char *name, const char *bytes, size_t len, bool is_number)
{
	struct perf_writer *w = ctx;
	struct field *field = add_field(w, name, FIELD_TEXT);

	(void)is_number;
	field->text = w->texts.len;
	field->len = SP_MIN(len, (size_t)RAW_MOST - SP_MIN(w->texts.len, (size_t)RAW_MOST));
	sp_buf_add(&w->texts, bytes, field->len);
}

// perf's fields are whole numbers and texts.
static void take_real(void *ctx, const char *name, double number)
{
	char text[40];

	take_text(ctx, name, text, (size_t)snprintf(text, sizeof(text), "%.17g", number), false);
}

static void take_unreadable(void *ctx, const char *name)
{
	take_text(ctx, name, "?", 1, false);
}

static void take_stack(void *ctx, const char *name, const void *symbols, size_t size)
{
	struct perf_writer *w = ctx;
	uint64_t addresses[SP_SYMBOLS_PLACES];
	struct sp_symbols head;
	size_t n;

	(void)name;
	memcpy(&head, symbols, sizeof(head));
	n = symbols_addresses(w->symbols, symbols, size, addresses);
	struct sp_buf *chain = head.is_user ? &w->user_chain : &w->kernel_chain;

	if (!chain->len)
		sp_buf_add(chain, addresses, n * sizeof(addresses[0]));
}

// ---- events ---------------------------------------------------------------------------------------------------------

// What perf calls the place: the function, as `perf probe` does, or else the whole point. There is one of each name.
static const char *event_name(struct perf_writer *w, const struct bundle *bundle, const struct sp_site *site)
{
	static const char end[] = ".return";
	const char *point = bundle_text(bundle, site->point), *function = bundle_text(bundle, site->function), *first;
	size_t len = strlen(point);
	bool is_return = len > strlen(end) && sp_streq(point + len - strlen(end), end);
	char *name = plain_name(&w->arena, *function ? function : point);

	if (*function && is_return)
		name = sp_arena_printf(&w->arena, "%s__return", name);
	first = name;
	for (unsigned n = 2; sp_hash_get(&w->names, name); n++)
		name = sp_arena_printf(&w->arena, "%s_%u", first, n);
	sp_hash_set(&w->names, name, name);
	return name;
}

static void put_format_field(struct sp_buf *out, const char *type, const char *name, unsigned offset, unsigned size, bool is_signed)
{
	sp_buf_printf(out, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type, name, offset, size, is_signed);
}

// The fields as tracefs describes those of tracepoints.
static const char *make_format(struct perf_writer *w, const char *name, unsigned id)
{
	static const char *const types[] = { "s64", "u64", "__data_loc char[]" };
	static const char *const prints[] = { "%lld", "%llu", "%s" };
	struct sp_buf out = { 0 };
	unsigned offset = COMMON_SIZE;
	const char *text;

	sp_buf_printf(&out, "name: %s\nID: %u\nformat:\n", name, id);
	put_format_field(&out, "unsigned short", "common_type", 0, 2, false);
	put_format_field(&out, "unsigned char", "common_flags", 2, 1, false);
	put_format_field(&out, "unsigned char", "common_preempt_count", 3, 1, false);
	put_format_field(&out, "int", "common_pid", 4, 4, true);
	sp_buf_putc(&out, '\n');
	sp_vec_each(field, &w->fields) {
		put_format_field(&out, types[field->kind], field->name, offset, field->kind == FIELD_TEXT ? 4 : 8, field->kind == FIELD_SIGNED);
		offset += 8;
	}
	sp_buf_puts(&out, "\nprint fmt: \"");
	sp_vec_each(field, &w->fields)
		sp_buf_printf(&out, "%s%s=%s", field == w->fields.v ? "" : " ", field->name, prints[field->kind]);
	sp_buf_puts(&out, w->fields.n ? "\"" : "stack\"");
	sp_vec_each(field, &w->fields)
		sp_buf_printf(&out, field->kind == FIELD_TEXT ? ", __get_str(%s)" : ", REC->%s", field->name);
	sp_buf_putc(&out, '\n');
	text = sp_arena_strdup(&w->arena, sp_buf_str(&out));
	sp_buf_deinit(&out);
	return text;
}

// A place, with the names and types of what it prints, is an event. Those are known when it first prints. NULL: there are too many.
static const struct event *find_event(struct perf_writer *w, const struct record *record, uint32_t site)
{
	bool has_chain = w->kernel_chain.len || w->user_chain.len;
	struct event event = { .has_chain = has_chain };
	void **known;

	sp_buf_printf(&w->signature, "%td %" PRIu32 "%s", record->format - record->bundle->formats, site, has_chain ? " stack" : "");
	known = sp_hash_insert(&w->by_signature, w->signature.data, w->signature.len);
	if (!*known) {
		unsigned id = (unsigned)w->events.n + 1;

		if (id > UINT16_MAX) {
			sp_hash_remove(&w->by_signature, w->signature.data, w->signature.len);
			return NULL;
		}
		event.file.id = id;
		event.file.name = event_name(w, record->bundle, &record->bundle->sites[site]);
		event.file.format = make_format(w, event.file.name, id);
		event.file.sample_type = PERF_FILE_SAMPLE_TYPE | (has_chain ? PERF_SAMPLE_CALLCHAIN : 0);
		sp_vec_push(&w->events, event);
		w->begin = sp_arena_mark(&w->arena); // its names stay
		*known = (void *)(uintptr_t)id;
	}
	return &w->events.v[(uintptr_t)*known - 1];
}

// ---- records --------------------------------------------------------------------------------------------------------

static void put(struct perf_writer *w, uint32_t type, uint16_t misc, const struct sp_buf *body)
{
	size_t before = w->out.len;

	perf_file_put_record(&w->out, type, misc, body);
	w->size += w->out.len - before;
	if (w->out.len >= FLUSH_AT)
		flush(w);
}

static const struct image_build_id *build_id_of(struct perf_writer *w, const char *path)
{
	void **known = sp_hash_insert(&w->build_ids, path, strlen(path));
	struct image_build_id *id = *known;

	if (!id) {
		*known = id = sp_arena_new(&w->arena, struct image_build_id);
		w->begin = sp_arena_mark(&w->arena);
		if (path[0] == '/')
			sp_err_free(image_file_build_id(path, id));
		else
			image_kernel_build_id(id);
	}
	return id;
}

struct telling {
	struct perf_writer *w;
	const struct sp_event_who *who;
};

static void put_code(void *ctx, const struct symbols_code *code)
{
	const struct telling *t = ctx;
	const struct image_build_id *id = build_id_of(t->w, code->path);
	const struct perf_file_map map = { (uint32_t)t->who->pid, code->start, code->end, code->offset, code->path, id->bytes, (uint8_t)id->len };
	struct sp_buf body = { 0 };
	uint16_t misc = perf_file_map(&body, &map, t->who);

	put(t->w, PERF_RECORD_MMAP2, misc, &body);
	sp_buf_deinit(&body);
}

// perf finds names of the kernel's addresses when it knows where the kernel is.
static void put_kernel(struct perf_writer *w, const struct sp_event_who *who)
{
	struct perf_file_map map = { .pid = UINT32_MAX, .end = UINT64_MAX, .path = KERNEL_MAP "_text" };
	struct sp_buf body = { 0 };
	struct sp_err *err = image_kernel_address("_text", &map.start);

	w->has_kernel = true;
	if (!err) {
		map.offset = map.start;
		build_id_of(w, KERNEL_MAP);
		put(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL | perf_file_map(&body, &map, who), &body);
	}
	sp_err_free(err);
	sp_buf_deinit(&body);
}

static void *numbered(struct sp_hash *hash, uint64_t number, size_t size)
{
	void **known = sp_hash_insert(hash, &number, sizeof(number));

	if (!*known)
		*known = sp_calloc(1, size);
	return *known;
}

// Who it is, before the first sample in which that is so.
static void put_task(struct perf_writer *w, const struct sp_event_who *who)
{
	struct thread *thread = numbered(&w->threads, who->tid, sizeof(*thread));
	struct process *process = numbered(&w->processes, who->pid, sizeof(*process));
	struct telling telling = { w, who };
	struct sp_buf body = { 0 };
	char comm[sizeof(thread->comm)] = "";

	memcpy(comm, who->comm, sizeof(who->comm));
	if (!sp_streq(comm, thread->comm)) {
		memcpy(thread->comm, comm, sizeof(comm));
		perf_file_comm(&body, comm, who);
		put(w, PERF_RECORD_COMM, 0, &body);
		sp_buf_deinit(&body);
	}
	if (!w->has_kernel)
		put_kernel(w, who);
	if (w->symbols && who->pid)
		symbols_each_code(w->symbols, (pid_t)who->pid, &process->told, put_code, &telling);
}

// The fields one after the other in words of 8 bytes, then the texts.
static void put_raw(struct perf_writer *w, struct sp_buf *raw, const struct event *event, const struct sp_event_who *who)
{
	size_t texts = COMMON_SIZE + 8 * w->fields.n;

	perf_file_u32(raw, event->file.id); // common_type, _flags and _preempt_count
	perf_file_u32(raw, (uint32_t)who->tid);
	sp_vec_each(field, &w->fields) {
		uint64_t place = texts | (uint64_t)(field->len + 1) << 16;

		perf_file_u64(raw, field->kind == FIELD_TEXT ? place : field->number);
		if (field->kind == FIELD_TEXT)
			texts += field->len + 1;
	}
	sp_vec_each(field, &w->fields)
		if (field->kind == FIELD_TEXT) {
			sp_buf_add(raw, w->texts.data + field->text, field->len);
			sp_buf_putc(raw, '\0');
		}
}

static void put_sample(struct perf_writer *w, const struct event *event, const struct sp_event_who *who)
{
	struct sp_buf body = { 0 }, raw = { 0 };
	const struct sp_buf *first = w->kernel_chain.len ? &w->kernel_chain : &w->user_chain;
	uint64_t ip = 0;

	if (first->len)
		memcpy(&ip, first->data, sizeof(ip));
	put_raw(w, &raw, event, who);
	perf_file_sample(&body, event->file.id, ip, who);
	if (event->has_chain)
		perf_file_chains(&body, &w->kernel_chain, &w->user_chain);
	perf_file_raw(&body, &raw);
	put(w, PERF_RECORD_SAMPLE, w->kernel_chain.len ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, &body);
	sp_buf_deinit(&raw);
	sp_buf_deinit(&body);
}

static bool is_session(const struct sp_site *site)
{
	return site->kind == SP_SITE_BEGIN || site->kind == SP_SITE_END || site->kind == SP_SITE_ERROR;
}

static void perf_writer_record(struct perf_writer *w, const struct record *record)
{
	const struct record_sink sink = { w, take_number, take_real, take_text, take_unreadable, take_stack };
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const struct event *event;
	struct sp_event_who who;
	uint32_t site = SP_NONE;

	if (record_who(record, &who))
		site = record_site(record, who.site);
	if (site == SP_NONE || is_session(&record->bundle->sites[site]))
		return;
	w->begin = sp_arena_mark(&w->arena);
	w->symbols = record->symbols;
	w->fields.n = 0;
	sp_buf_clear(&w->texts), sp_buf_clear(&w->signature), sp_buf_clear(&w->kernel_chain), sp_buf_clear(&w->user_chain);
	record_values(&text, record, &sink);
	if (!w->fields.n && !w->kernel_chain.len && !w->user_chain.len) {
		while (text.len && text.data[text.len - 1] == '\n')
			text.len--;
		take_text(w, "text", text.data, text.len, false);
	}
	event = find_event(w, record, site);
	if (event) {
		put_task(w, &who);
		put_sample(w, event, &who);
	}
	sp_arena_rewind(&w->arena, w->begin);
}

// ---- the end --------------------------------------------------------------------------------------------------------

static void collect(struct perf_writer *w, struct perf_file *file)
{
	file->n_events = w->events.n;
	file->events = sp_arena_array(&w->arena, struct perf_file_event, w->events.n + 1);
	for (size_t i = 0; i < w->events.n; i++)
		file->events[i] = w->events.v[i].file;
	file->build_ids = sp_arena_array(&w->arena, struct perf_file_build_id, w->build_ids.n_live + 1);
	sp_hash_each(entry, &w->build_ids) {
		const struct image_build_id *id = entry->value;

		if (id->len)
			file->build_ids[file->n_build_ids++] =
				(struct perf_file_build_id){ entry->key, id->bytes, (uint8_t)id->len, entry->key[0] != '/' };
	}
}

static struct sp_err *end_file(struct perf_writer *w, int64_t wall_offset, const char *command)
{
	struct perf_file file = { .wall_offset = wall_offset, .command = command, .size = w->size };
	sp_cleanup(sp_buf_deinit) struct sp_buf header = { 0 };

	collect(w, &file);
	perf_file_end(&w->out, &header, &file);
	flush(w);
	if (!w->err && pwrite(w->fd, header.data, header.len, 0) != (ssize_t)header.len)
		w->err = sp_err_new(SP_ERR_SYSTEM, "cannot write the header of \"%s\", which takes a file: not a pipe", w->path);
	return w->err;
}

static struct sp_err *perf_writer_close(struct perf_writer *w, int64_t wall_offset, const char *command)
{
	struct sp_err *err;

	err = end_file(w, wall_offset, command);
	sp_hash_free(&w->threads);
	sp_hash_free(&w->processes);
	sp_hash_deinit(&w->by_signature);
	sp_hash_deinit(&w->names);
	sp_hash_deinit(&w->build_ids);
	sp_vec_deinit(&w->events);
	sp_vec_deinit(&w->fields);
	sp_buf_deinit(&w->texts), sp_buf_deinit(&w->signature), sp_buf_deinit(&w->kernel_chain), sp_buf_deinit(&w->user_chain);
	sp_buf_deinit(&w->out);
	sp_arena_deinit(&w->arena);
	close(w->fd);
	free(w->path);
	free(w);
	return err;
}

SP_EXPORT const struct spilert_perf_writer spilert_perf_writer = {
	.open = perf_writer_open, .record = perf_writer_record, .close = perf_writer_close,
};
