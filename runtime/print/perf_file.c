// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/print/perf_file.h"

#include "runtime/base/perf_data.h"

#include <linux/perf_event.h>
#include <sys/utsname.h>
#include <time.h>

#define TEXT_ROOM 64 // perf's texts have multiples of it
#define ATTR_SIZE 96 // PERF_ATTR_SIZE_VER3: perf refuses longer ones than it knows
#define BUILD_ID_ROOM 24
#define BUILD_ID_HAS_SIZE 0x8000u

void perf_file_u32(struct sp_buf *out, uint32_t number)
{
	sp_buf_add(out, &number, sizeof(number));
}

void perf_file_u64(struct sp_buf *out, uint64_t number)
{
	sp_buf_add(out, &number, sizeof(number));
}

static void put_padded(struct sp_buf *out, const void *bytes, size_t len, size_t room)
{
	sp_buf_add(out, bytes, len);
	sp_buf_fill(out, '\0', SP_ALIGN_UP(len, room) - len);
}

// ---- records --------------------------------------------------------------------------------------------------------

void perf_file_put_record(struct sp_buf *out, uint32_t type, uint16_t misc, const struct sp_buf *body)
{
	const struct perf_event_header head = { type, misc, (uint16_t)(sizeof(head) + SP_ALIGN_UP(body->len, 8)) };

	sp_buf_add(out, &head, sizeof(head));
	put_padded(out, body->data, body->len, 8);
}

// The end of records that are no samples, so that they have a time.
static void put_id(struct sp_buf *body, const struct sp_event_who *who)
{
	perf_file_u32(body, (uint32_t)who->pid);
	perf_file_u32(body, (uint32_t)who->tid);
	perf_file_u64(body, who->time);
	perf_file_u64(body, who->cpu);
	perf_file_u64(body, 1); // the first event: they are all alike
}

void perf_file_sample(struct sp_buf *body, uint32_t event, uint64_t ip, const struct sp_event_who *who)
{
	perf_file_u64(body, event);
	perf_file_u64(body, ip);
	perf_file_u32(body, (uint32_t)who->pid);
	perf_file_u32(body, (uint32_t)who->tid);
	perf_file_u64(body, who->time);
	perf_file_u64(body, who->cpu);
	perf_file_u64(body, 1); // the period
}

static void put_chain(struct sp_buf *body, uint64_t context, const struct sp_buf *addresses)
{
	if (!addresses->len)
		return;
	perf_file_u64(body, context);
	sp_buf_add(body, addresses->data, addresses->len);
}

void perf_file_chains(struct sp_buf *body, const struct sp_buf *kernel, const struct sp_buf *user)
{
	perf_file_u64(body, (kernel->len + user->len) / 8 + (kernel->len != 0) + (user->len != 0));
	put_chain(body, PERF_CONTEXT_KERNEL, kernel);
	put_chain(body, PERF_CONTEXT_USER, user);
}

void perf_file_raw(struct sp_buf *body, const struct sp_buf *raw)
{
	size_t size = SP_ALIGN_UP(raw->len + 4, 8) - 4;

	perf_file_u32(body, (uint32_t)size);
	sp_buf_add(body, raw->data, raw->len);
	sp_buf_fill(body, '\0', size - raw->len);
}

uint16_t perf_file_map(struct sp_buf *body, const struct perf_file_map *map, const struct sp_event_who *who)
{
	static const uint8_t no_id[PERF_FILE_HEADER];

	perf_file_u32(body, map->pid);
	perf_file_u32(body, map->pid == UINT32_MAX ? 0 : map->pid);
	perf_file_u64(body, map->start);
	perf_file_u64(body, map->end - map->start);
	perf_file_u64(body, map->offset);
	if (map->build_id) {
		perf_file_u32(body, map->build_id_len);
		sp_buf_add(body, map->build_id_len ? map->build_id : no_id, 20);
		perf_file_u32(body, 5); // PROT_READ | PROT_EXEC
		perf_file_u32(body, 2); // MAP_PRIVATE
	}
	put_padded(body, map->path, strlen(map->path) + 1, 8);
	put_id(body, who);
	return map->build_id && map->build_id_len ? 1u << 14 /* PERF_RECORD_MISC_MMAP_BUILD_ID */ : 0;
}

void perf_file_comm(struct sp_buf *body, const char *comm, const struct sp_event_who *who)
{
	perf_file_u32(body, (uint32_t)who->pid);
	perf_file_u32(body, (uint32_t)who->tid);
	put_padded(body, comm, strlen(comm) + 1, 8);
	put_id(body, who);
}

// ---- parts ----------------------------------------------------------------------------------------------------------

static void put_text(struct sp_buf *out, const char *text)
{
	size_t len = strlen(text) + 1;

	perf_file_u32(out, (uint32_t)SP_ALIGN_UP(len, TEXT_ROOM));
	put_padded(out, text, len, TEXT_ROOM);
}

static void put_attr(struct sp_buf *out, const struct perf_file_event *event)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = ATTR_SIZE, .config = event->id, .sample_period = 1,
					.sample_type = event->sample_type, .sample_id_all = 1, .mmap = 1, .mmap2 = 1, .comm = 1,
					.use_clockid = 1, .clockid = CLOCK_MONOTONIC };

	put_padded(out, &attr, SP_MIN(sizeof(attr), (size_t)ATTR_SIZE), ATTR_SIZE);
}

static void put_names(struct sp_buf *out, const struct perf_file *file)
{
	perf_file_u32(out, (uint32_t)file->n_events);
	perf_file_u32(out, ATTR_SIZE);
	for (size_t i = 0; i < file->n_events; i++) {
		struct sp_buf name = { 0 };

		sp_buf_printf(&name, "spile:%s", file->events[i].name);
		put_attr(out, &file->events[i]);
		perf_file_u32(out, 1);
		put_text(out, name.data);
		perf_file_u64(out, file->events[i].id);
		sp_buf_deinit(&name);
	}
}

static void put_named_file(struct sp_buf *out, const char *name, const char *text)
{
	sp_buf_add(out, name, strlen(name) + 1);
	perf_file_u64(out, strlen(text));
	sp_buf_puts(out, text);
}

// The formats as tracefs has them. perf wants to know how the pages of a trace begin, too, though there is none.
static void put_formats(struct sp_buf *out, const struct perf_file *file)
{
	static const char magic[] = "\027\bDtracing0.6";
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

	sp_buf_add(out, magic, sizeof(magic));
	sp_buf_putc(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	sp_buf_putc(out, sizeof(long));
	perf_file_u32(out, 4096);
	put_named_file(out, "header_page", page);
	put_named_file(out, "header_event", "\n"); // anything: perf wants some
	perf_file_u32(out, 0); // formats of ftrace itself
	perf_file_u32(out, 1); // systems
	sp_buf_add(out, "spile", sizeof("spile"));
	perf_file_u32(out, (uint32_t)file->n_events);
	for (size_t i = 0; i < file->n_events; i++) {
		perf_file_u64(out, strlen(file->events[i].format));
		sp_buf_puts(out, file->events[i].format);
	}
	perf_file_u32(out, 0); // names of the kernel's functions
	perf_file_u32(out, 0); // formats of trace_printk()
	perf_file_u64(out, 0); // names of tasks
}

static void put_build_ids(struct sp_buf *out, const struct perf_file *file)
{
	for (size_t i = 0; i < file->n_build_ids; i++) {
		const struct perf_file_build_id *id = &file->build_ids[i];
		size_t path = SP_ALIGN_UP(strlen(id->path) + 1, TEXT_ROOM);
		const struct perf_event_header head = {
			SP_PERF_BUILD_ID, (uint16_t)((id->is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) | BUILD_ID_HAS_SIZE),
			(uint16_t)(sizeof(head) + 4 + BUILD_ID_ROOM + path)
		};

		sp_buf_add(out, &head, sizeof(head));
		perf_file_u32(out, UINT32_MAX); // of no virtual machine
		sp_buf_add(out, id->bytes, 20);
		perf_file_u32(out, id->len);
		put_padded(out, id->path, strlen(id->path) + 1, TEXT_ROOM);
	}
}

static void put_clock(struct sp_buf *out, const struct perf_file *file)
{
	const uint64_t ns = sp_now_ns();

	perf_file_u32(out, 1); // version
	perf_file_u32(out, CLOCK_MONOTONIC);
	perf_file_u64(out, ns + (uint64_t)file->wall_offset);
	perf_file_u64(out, ns);
}

static struct utsname machine(void)
{
	struct utsname name = { .sysname = "" };

	uname(&name);
	return name;
}

static void put_host(struct sp_buf *out, const struct perf_file *file)
{
	(void)file;
	put_text(out, machine().nodename);
}

static void put_release(struct sp_buf *out, const struct perf_file *file)
{
	(void)file;
	put_text(out, machine().release);
}

static void put_arch(struct sp_buf *out, const struct perf_file *file)
{
	(void)file;
	put_text(out, machine().machine);
}

static void put_command(struct sp_buf *out, const struct perf_file *file)
{
	perf_file_u32(out, 1);
	put_text(out, file->command);
}

static void put_resolution(struct sp_buf *out, const struct perf_file *file)
{
	(void)file;
	perf_file_u64(out, 1000000000); // of a second
}

void perf_file_end(struct sp_buf *out, struct sp_buf *header, const struct perf_file *file)
{
	static const struct {
		enum sp_perf_feature number;
		void (*put)(struct sp_buf *out, const struct perf_file *file);
	} parts[] = {
		{ SP_PERF_HAS_TRACING_DATA, put_formats }, { SP_PERF_HAS_BUILD_ID, put_build_ids }, { SP_PERF_HAS_HOSTNAME, put_host },
		{ SP_PERF_HAS_OSRELEASE, put_release }, { SP_PERF_HAS_ARCH, put_arch }, { SP_PERF_HAS_CMDLINE, put_command },
		{ SP_PERF_HAS_EVENT_DESC, put_names }, { SP_PERF_HAS_CLOCKID, put_resolution }, { SP_PERF_HAS_CLOCK_DATA, put_clock },
	};
	struct sp_buf contents = { 0 };
	uint64_t at = PERF_FILE_HEADER + file->size + SP_ARRAY_SIZE(parts) * 16, features = 0, ids, attrs;

	for (unsigned i = 0; i < SP_ARRAY_SIZE(parts); i++) {
		size_t begin = contents.len;

		parts[i].put(&contents, file);
		perf_file_u64(out, at + begin);
		perf_file_u64(out, contents.len - begin);
		features |= UINT64_C(1) << parts[i].number;
	}
	sp_buf_fill(&contents, '\0', SP_ALIGN_UP(contents.len, 8) - contents.len);
	ids = at + contents.len;
	for (size_t i = 0; i < file->n_events; i++)
		perf_file_u64(&contents, file->events[i].id);
	attrs = at + contents.len;
	for (size_t i = 0; i < file->n_events; i++) {
		put_attr(&contents, &file->events[i]);
		perf_file_u64(&contents, ids + 8 * i);
		perf_file_u64(&contents, 8);
	}
	sp_buf_add(out, contents.data, contents.len);
	sp_buf_deinit(&contents);
	const uint64_t words[] = { PERF_FILE_HEADER, ATTR_SIZE + 16, attrs, file->n_events * (ATTR_SIZE + 16), PERF_FILE_HEADER, file->size,
				   0, 0, features, 0, 0, 0 };

	sp_buf_puts(header, "PERFILE2");
	sp_buf_add(header, words, sizeof(words));
}
