// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // O_PATH
#include "compiler/cli/perf_command.h"

#include "compiler/cli/cli.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/perf_data.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

static const char usage[] =
	"Usage: spile perf-data FILE              say what a file of perf record has: its header, sections and events,\n"
	"                                         and how many records there are of each type\n"
	"   or: spile perf-data --tasks FILE      names of processes, what they have mapped, and build-ids\n"
	"   or: spile perf-data --samples FILE    a line for each sample, in the order of the file\n"
	"   or: spile perf-data --aux FOLDER FILE write traces of processors (AUX) into FOLDER, a file for each of them\n"
	"`probe perf.data(\"FILE\").sample { ... }` runs a script over the samples.\n";

// ---- the file -------------------------------------------------------------------------------------------------------

static void print_section(const char *name, struct sp_perf_section section)
{
	printf("  %-18s %10" PRIu64 " %10" PRIu64 "\n", name, section.offset, section.size);
}

// A text of the file.
static void put_text(const char *text)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf out = { 0 };

	cli_add_shown(&out, text);
	fputs(sp_buf_str(&out), stdout);
}

static void print_text(const char *what, const char *text)
{
	if (!text)
		return;
	printf("%s: ", what);
	put_text(text);
	putchar('\n');
}

static void print_header(const struct sp_perf_data *data)
{
	printf("PERFILE2, %s-endian, a header of %" PRIu64 " bytes%s\n",
	       data->is_swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? "big" : "little", data->header_size,
	       data->is_pipe ? ": from a pipe, so all is in records" : "");
	if (!data->is_pipe) {
		printf("sections:              offset      bytes\n");
		print_section("attributes", data->attrs);
		print_section("data", data->data);
		print_section("event types", data->event_types);
	}
	for (unsigned i = 0; i < SP_PERF_FEATURES; i++) {
		const char *name = sp_perf_feature_name(i);
		char number[16];

		snprintf(number, sizeof(number), "feature %u", i);
		if (data->has_feature[i] && !data->is_pipe)
			print_section(name ? name : number, data->features[i]);
	}
	print_text("host", data->host);
	print_text("kernel", data->release);
	print_text("machine", data->arch);
	print_text("command", data->command);
}

static const char *event_name(const struct sp_perf_event *event, char *ret, size_t size)
{
	if (event && event->name)
		return event->name;
	if (event)
		snprintf(ret, size, "%" PRIu32 ":%" PRIu64, event->type, event->config);
	return event ? ret : "unknown event";
}

// The sort of values in its samples.
static void print_sample_type(uint64_t type)
{
	static const char *const names[] = { "ip", "tid", "time", "addr", "read", "callchain", "id", "cpu", "period", "stream_id",
					     "raw", "branch_stack", "regs_user", "stack_user", "weight", "data_src", "identifier",
					     "transaction", "regs_intr", "phys_addr", "aux", "cgroup", "data_page_size", "code_page_size",
					     "weight_struct" };

	for (unsigned i = 0; i < 64; i++)
		if (type >> i & 1 && i < SP_ARRAY_SIZE(names))
			printf(" %s", names[i]);
		else if (type >> i & 1)
			printf(" bit%u", i);
}

struct count {
	uint32_t type;
	uint64_t n;
};

struct counts {
	SP_VEC(struct count) types;
	uint64_t *samples; // by event
	uint64_t lost; // samples without one
};

static void count_type(struct counts *counts, uint32_t type)
{
	sp_vec_each(count, &counts->types)
		if (count->type == type) {
			count->n++;
			return;
		}
	sp_vec_push(&counts->types, (struct count){ type, 1 });
}

static int by_type(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return x->type < y->type ? -1 : x->type > y->type;
}

static void count_records(struct counts *counts, struct sp_perf_walk *walk)
{
	struct sp_perf_record record;
	struct sp_perf_sample sample;

	while (sp_perf_walk_next(walk, &record)) {
		count_type(counts, record.type);
		if (record.type != SP_PERF_SAMPLE)
			continue;
		if (sp_perf_sample(walk->data, &record, &sample))
			counts->samples[sample.who.event - walk->data->events.v]++;
		else
			counts->lost++;
	}
	if (counts->types.n)
		qsort(counts->types.v, counts->types.n, sizeof(*counts->types.v), by_type);
}

// How far the records were walked; false: not to their end.
static bool print_walk(const struct sp_perf_walk *walk)
{
	uint64_t size = walk->data->is_open ? walk->end - walk->data->data.offset : walk->data->data.size;

	printf("walked %" PRIu64 " of %" PRIu64 " bytes%s\n", walk->n_bytes, size,
	       walk->data->is_open && !walk->data->is_pipe ? " (to the end of the file: perf record has not ended it)" : "");
	fflush(stdout);
	if (walk->not_unpacked)
		fprintf(stderr, "WARNING: compressed records are not looked into: %s\n", walk->not_unpacked);
	if (walk->stop)
		fprintf(stderr, "WARNING: %s at byte %" PRIu64 ": what follows is not read\n", walk->stop, walk->stop_at);
	else if (walk->n_bytes < size)
		fprintf(stderr, "WARNING: the file ends before its records do\n");
	return !walk->stop && walk->n_bytes == size;
}

static int print_all(const struct sp_perf_data *data)
{
	struct counts counts = { .samples = sp_calloc(data->events.n + 1, sizeof(uint64_t)) };
	struct sp_perf_walk walk;
	bool is_whole;

	sp_perf_walk_begin(&walk, data);
	count_records(&counts, &walk);
	print_header(data);
	printf("events:\n");
	for (size_t i = 0; i < data->events.n; i++) {
		const struct sp_perf_event *event = &data->events.v[i];
		char room[48];

		fputs("  ", stdout);
		put_text(event_name(event, room, sizeof(room)));
		printf(": type %" PRIu32 ", config %" PRIu64 ", %" PRIu64 " samples%s of", event->type, event->config, counts.samples[i], event->format ? ", with fields," : "");
		print_sample_type(event->sample_type);
		putchar('\n');
	}
	printf("records:\n");
	sp_vec_each(count, &counts.types) {
		const char *name = sp_perf_type_name(count->type);
		char number[32];

		snprintf(number, sizeof(number), "type %" PRIu32, count->type);
		printf("  %-32s %10" PRIu64 "\n", name ? name : number, count->n);
	}
	if (counts.lost)
		printf("%" PRIu64 " samples are of no event of the file, or cut off\n", counts.lost);
	is_whole = print_walk(&walk);
	sp_perf_walk_end(&walk);
	sp_vec_deinit(&counts.types);
	free(counts.samples);
	return is_whole ? 0 : 1;
}

// ---- tasks ----------------------------------------------------------------------------------------------------------

static void print_id(const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", id[i]);
}

static void print_task(const struct sp_perf_data *data, const struct sp_perf_record *record)
{
	struct sp_perf_mmap mmap;
	struct sp_perf_task task;

	if (sp_perf_mmap(data, record, &mmap)) {
		printf("map %" PRId32 " 0x%" PRIx64 "-0x%" PRIx64 " 0x%" PRIx64 " ", (int32_t)mmap.pid, mmap.start,
		       mmap.start + mmap.length, mmap.offset);
		put_text(mmap.path);
		if (mmap.build_id_size)
			putchar(' ');
		print_id(mmap.build_id, mmap.build_id_size);
		putchar('\n');
	} else if (sp_perf_task(data, record, &task)) {
		if (task.comm) {
			printf("comm %" PRIu32 "/%" PRIu32 " ", task.pid, task.tid);
			put_text(task.comm);
			putchar('\n');
		} else {
			printf("%s %" PRIu32 "/%" PRIu32 " of %" PRIu32 "/%" PRIu32 "\n", record->type == SP_PERF_FORK ? "fork" : "exit",
			       task.pid, task.tid, task.parent, task.parent_tid);
		}
	}
}

// ---- samples --------------------------------------------------------------------------------------------------------

// Names of threads as they are at this place of the file.
struct names {
	struct sp_arena arena;
	struct sp_hash comms; // thread -> text
};

static char *name_of(const struct names *names, uint32_t tid)
{
	void **comm = sp_hash_find(&names->comms, &tid, sizeof(tid));

	return comm ? *comm : NULL;
}

static void print_sample(const struct sp_perf_data *data, const struct sp_perf_sample *sample, const char *comm)
{
	struct sp_perf_cursor chain = sp_perf_cursor(data, sample->chain, sample->n_chain * 8);
	bool is_first = true;
	char room[48];

	put_text(comm);
	printf(" %" PRIu32 "/%" PRIu32 " [%03" PRIu32 "] %" PRIu64 ".%09" PRIu64 ": ", sample->who.pid, sample->who.tid, sample->who.cpu,
	       sample->who.time / 1000000000u, sample->who.time % 1000000000u);
	put_text(event_name(sample->who.event, room, sizeof(room)));
	printf(": ip 0x%" PRIx64, sample->ip);
	if (sample->addr)
		printf(" addr 0x%" PRIx64, sample->addr);
	printf(" period %" PRIu64, sample->period);
	if (sample->raw)
		printf(" raw %zu bytes", sample->raw_size);
	for (size_t i = 0; i < sample->n_chain; i++) {
		uint64_t address = sp_perf_u64(&chain);

		if (address >= UINT64_MAX - 4094) // PERF_CONTEXT_MAX: what follows is of the kernel, of the program
			continue;
		printf("%s0x%" PRIx64, is_first ? " stack " : " ", address);
		is_first = false;
	}
	putchar('\n');
}

static void print_if_sample(const struct sp_perf_data *data, const struct sp_perf_record *record, struct names *names)
{
	struct sp_perf_sample sample;
	struct sp_perf_task task;

	if (sp_perf_task(data, record, &task)) {
		if (task.comm)
			*sp_hash_insert(&names->comms, &task.tid, sizeof(task.tid)) = sp_arena_strdup(&names->arena, task.comm);
		else if (record->type == SP_PERF_FORK)
			*sp_hash_insert(&names->comms, &task.tid, sizeof(task.tid)) = name_of(names, task.parent_tid);
	} else if (sp_perf_sample(data, record, &sample)) {
		const char *name = name_of(names, sample.who.tid);

		print_sample(data, &sample, name ? name : ":unknown");
	}
}

static int print_each(const struct sp_perf_data *data, bool samples)
{
	struct sp_perf_record record;
	struct names names = { .comms = { 0 } };
	struct sp_perf_walk walk;

	sp_arena_init(&names.arena);
	sp_perf_walk_begin(&walk, data);
	while (sp_perf_walk_next(&walk, &record))
		if (samples)
			print_if_sample(data, &record, &names);
		else
			print_task(data, &record);
	for (size_t i = 0; !samples && i < data->build_ids.n; i++) {
		printf("build-id ");
		print_id(data->build_ids.v[i].id, data->build_ids.v[i].size);
		putchar(' ');
		put_text(data->build_ids.v[i].path);
		putchar('\n');
	}
	bool is_whole = print_walk(&walk);

	sp_hash_deinit(&names.comms);
	sp_arena_deinit(&names.arena);
	sp_perf_walk_end(&walk);
	return is_whole ? 0 : 1;
}

// ---- AUX ------------------------------------------------------------------------------------------------------------

// Traces of a thread are in the file of that thread, the others in those of their processors.
static void name_slice(char *ret, size_t size, uint32_t cpu, uint32_t tid)
{
	if (cpu == UINT32_MAX)
		snprintf(ret, size, "thread%" PRIu32 ".aux", tid);
	else
		snprintf(ret, size, "cpu%" PRIu32 ".aux", cpu);
}

static struct sp_err *write_slice(int folder, const struct sp_perf_data *data, const struct sp_perf_record *record, struct sp_hash *begun)
{
	struct sp_perf_cursor c = sp_perf_cursor(data, record->bytes, record->size);
	uint64_t size = sp_perf_u64(&c), offset = sp_perf_u64(&c), reference = sp_perf_u64(&c);
	uint32_t idx = sp_perf_u32(&c), tid = sp_perf_u32(&c), cpu = sp_perf_u32(&c);
	char name[32];

	name_slice(name, sizeof(name), cpu, tid);
	bool is_first = !sp_hash_get(begun, name);

	if (c.is_short)
		return sp_err_new(SP_ERR_FORMAT, "the record at byte %" PRIu64 " is too short", record->offset);
	sp_hash_set(begun, name, begun);
	printf("%s: size %" PRIu64 " offset %" PRIu64 " reference 0x%" PRIx64 " idx %" PRIu32 " tid %" PRId32 " cpu %" PRId32 "\n", name,
	       size, offset, reference, idx, (int32_t)tid, (int32_t)cpu);
	sp_cleanup_close int fd = openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (is_first ? O_TRUNC : O_APPEND), 0666);

	if (fd < 0)
		return sp_err_errno(errno, "cannot write \"%s\"", name);
	return sp_file_write(fd, name, record->behind, record->behind_size);
}

static int write_aux(const struct sp_perf_data *data, const char *path)
{
	struct sp_perf_record record;
	struct sp_hash begun = { 0 };
	struct sp_perf_walk walk;
	struct sp_err *err = NULL;
	sp_cleanup_close int folder = -1;

	if (mkdir(path, 0777) && errno != EEXIST)
		return cli_report(sp_err_errno(errno, "cannot make \"%s\"", path));
	folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return cli_report(sp_err_errno(errno, "cannot open \"%s\"", path));
	sp_perf_walk_begin(&walk, data);
	while (!err && sp_perf_walk_next(&walk, &record))
		if (record.type == SP_PERF_AUXTRACE)
			err = write_slice(folder, data, &record, &begun);
	if (!err && !begun.n_live)
		err = sp_err_new(SP_ERR_NOT_FOUND, "there is no PERF_RECORD_AUXTRACE");
	bool is_whole = err || print_walk(&walk);

	sp_perf_walk_end(&walk);
	sp_hash_deinit(&begun);
	return cli_report(err) || !is_whole;
}

int perf_command(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "", *folder = argc == 4 && sp_streq(what, "--aux") ? argv[2] : NULL;
	bool samples = argc == 3 && sp_streq(what, "--samples"), tasks = argc == 3 && sp_streq(what, "--tasks");
	struct sp_perf_data data;
	int status;

	if (argc == 2 && (sp_streq(argv[1], "--help") || sp_streq(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (!(argc == 2 && argv[1][0] != '-') && !folder && !samples && !tasks) {
		fputs(usage, stderr);
		return 2;
	}
	status = cli_report(sp_perf_data_open(argv[argc - 1], &data));
	if (status)
		return status;
	status = folder ? write_aux(&data, folder) : samples || tasks ? print_each(&data, samples) : print_all(&data);
	sp_perf_data_close(&data);
	return status;
}
