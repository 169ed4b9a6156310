// SPDX-License-Identifier: GPL-2.0-or-later
// perf.data("FILE").sample: the samples of a file that perf record has written, in the order of time. What the file says of processes
// (names, what they map) is noted on the way; this machine's processes, which may have the same numbers, are not asked.
#define _GNU_SOURCE
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/perf_data.h"
#include "runtime/load/site.h"
#include "runtime/machine/image.h"
#include "runtime/print/mapped.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#define MANY 1000 // samples in a row: a signal, a timer or another probe waits for as many
#define FIRST_OF_CONTEXT (UINT64_MAX - 4094) // PERF_CONTEXT_MAX: what follows is the kernel's, or the program's

enum { // as in sample.def
#define SP_SAMPLE(id, name, type, what) VARIABLE_##id,
#include "runtime/abi/sample.def"
#undef SP_SAMPLE
	N_VARIABLES
};

/** Offered by spile alone; see spilert.h. */
struct spilert_sampler {
	struct sp_err *(*open)(struct spilert *rt, struct samples **ret);
	/** Runs the handlers for some samples. False: there are no more. */
	bool (*run)(struct samples *samples);
	void (*close)(struct samples *samples);
};

static const char *const variable_names[] = {
#define SP_SAMPLE(id, name, type, what) name,
#include "runtime/abi/sample.def"
#undef SP_SAMPLE
};

struct source {
	struct sp_perf_data data;
	const char *path;
};

struct event {
	const struct source *source;
	uint64_t time;
	size_t number; // in the file
	struct sp_perf_record record;
};

union stack {
	struct sp_symbols head;
	uint64_t words[sizeof(struct sp_symbols) / 8 + SP_SYMBOLS_PLACES];
};

struct samples {
	struct spilert *rt;
	struct sp_arena arena;
	struct source *sources;
	size_t n_sources;
	SP_VEC(struct event) events; // of one file after the other, by time
	size_t next;
	struct sp_hash comms; // thread -> its name, in the arena
	const struct sp_global *variables[N_VARIABLES]; // NULL: the script does not have it
	union stack stacks[2]; // of the sample: the kernel's, the program's
	uint64_t n_cut; // of them
	bool knows_kernel; // the kernel of the samples is the one that runs
	bool told_unknown;
};

// ---- files ----------------------------------------------------------------------------------------------------------

static bool is_wanted(const struct sp_perf_record *record)
{
	return record->type == SP_PERF_SAMPLE || record->type == SP_PERF_COMM || record->type == SP_PERF_FORK || record->type == SP_PERF_MMAP ||
	       record->type == SP_PERF_MMAP2;
}

static void add_event(struct samples *s, const struct source *source, const struct sp_perf_record *record, uint64_t *time)
{
	const struct sp_perf_data *data = &source->data;
	struct event event = { .source = source, .number = s->events.n, .record = *record };
	struct sp_perf_sample sample;
	struct sp_perf_who who;

	if (!is_wanted(record))
		return;
	if (record->type == SP_PERF_SAMPLE && sp_perf_sample(data, record, &sample)) {
		*time = sample.who.time;
	} else if (record->type != SP_PERF_SAMPLE) {
		sp_perf_who(data, record, &who);
		*time = who.event ? who.time : *time; // else what it tells holds from the record before it on
	}
	event.time = *time;
	if (record->bytes < data->bytes || record->bytes >= data->bytes + data->size) // unpacked, until the next record
		event.record.bytes = sp_arena_memdup(&s->arena, record->bytes, record->size);
	sp_vec_push(&s->events, event);
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static struct sp_err *read_source(struct samples *s, struct source *source)
{
	size_t first = s->events.n;
	struct sp_perf_record record;
	struct sp_perf_walk walk;
	uint64_t time = 0;

	SP_TRY(sp_perf_data_open(source->path, &source->data));
	sp_perf_walk_begin(&walk, &source->data);
	while (sp_perf_walk_next(&walk, &record))
		add_event(s, source, &record, &time);
	if (walk.stop)
		sp_log(&s->rt->log, SP_LOG_WARN, "%s: the samples end at byte %llu: %s", source->path, (unsigned long long)walk.stop_at, walk.stop);
	if (walk.not_unpacked)
		sp_log(&s->rt->log, SP_LOG_WARN, "%s: samples that are compressed are left out: %s", source->path, walk.not_unpacked);
	sp_perf_walk_end(&walk);
	qsort(s->events.v + first, s->events.n - first, sizeof(*s->events.v), by_time);
	return NULL;
}

static struct source *find_source(struct samples *s, const char *path)
{
	for (size_t i = 0; i < s->n_sources; i++)
		if (sp_streq(s->sources[i].path, path))
			return &s->sources[i];
	return NULL;
}

// Processes of the file and of this machine have the same numbers.
static struct sp_err *check_others(const struct bundle *bundle)
{
	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (!site_is_session(&bundle->sites[i]) || bundle->sites[i].kind == SP_SITE_RUNNING)
			return sp_err_new(SP_ERR_SCRIPT, "probe %s: a script that reads samples of a file has no probes of this machine",
					  bundle_text(bundle, bundle->sites[i].point));
	return NULL;
}

static struct sp_err *read_sources(struct samples *s)
{
	const struct bundle *bundle = s->rt->bundle;

	SP_TRY(check_others(bundle));
	s->sources = sp_calloc(bundle->n_sites, sizeof(*s->sources));
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const char *path = bundle_text(bundle, bundle->sites[i].symbol);

		if (bundle->sites[i].kind != SP_SITE_SAMPLE || find_source(s, path))
			continue;
		s->sources[s->n_sources].path = path;
		SP_TRY(read_source(s, &s->sources[s->n_sources++]));
	}
	for (unsigned i = 0; i < bundle->n_globals; i++)
		for (unsigned k = 0; k < N_VARIABLES; k++)
			if (sp_streq(bundle_text(bundle, bundle->globals[i].name), variable_names[k]))
				s->variables[k] = &bundle->globals[i];
	return NULL;
}

static void samples_close(struct samples *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_sources; i++)
		sp_perf_data_close(&s->sources[i].data);
	free(s->sources);
	sp_vec_deinit(&s->events);
	sp_hash_deinit(&s->comms);
	sp_arena_deinit(&s->arena);
	free(s);
}

static struct sp_err *samples_open(struct spilert *rt, struct samples **ret)
{
	struct samples *s = sp_calloc(1, sizeof(*s));
	struct sp_err *err;

	s->rt = rt;
	err = read_sources(s);
	if (err)
		samples_close(s);
	else
		*ret = s;
	return err;
}

// ---- processes ------------------------------------------------------------------------------------------------------

// `comm` lives as long.
static void note_comm(struct samples *s, uint32_t tid, char *comm)
{
	*sp_hash_insert(&s->comms, &tid, sizeof(tid)) = comm;
}

static char *comm_of(const struct samples *s, uint32_t tid)
{
	void **known = sp_hash_find(&s->comms, &tid, sizeof(tid));

	return known ? *known : NULL;
}

// The kernel's mapping says where a symbol of it was.
static bool is_this_kernel(const struct samples *s)
{
	struct sp_perf_mmap mmap;
	uint64_t address;
	bool is_found = false;

	sp_vec_each(event, &s->events) {
		if (!sp_perf_mmap(&event->source->data, &event->record, &mmap) || mmap.pid != UINT32_MAX || strncmp(mmap.path, "[kernel.kallsyms]", 17) != 0)
			continue;
		address = 0;
		sp_err_free(image_kernel_address(mmap.path + 17, &address));
		if (!address || address != mmap.offset)
			return false;
		is_found = true;
	}
	return is_found;
}

// Is the file at the path the one that was mapped?
static bool is_same_file(const struct sp_perf_mmap *mmap, const struct stat *st)
{
	struct image_build_id id;

	if (mmap->build_id_size) {
		sp_err_free(image_file_build_id(mmap->path, &id));
		return id.len == mmap->build_id_size && memcmp(id.bytes, mmap->build_id, id.len) == 0;
	}
	return !mmap->inode || mmap->inode == st->st_ino;
}

static void note_mmap(struct samples *s, const struct sp_perf_mmap *mmap)
{
	struct image_mapping m = { .start = mmap->start, .end = mmap->start + mmap->length, .offset = mmap->offset, .path = mmap->path };
	struct stat st;

	if (mmap->pid == UINT32_MAX) // the kernel
		return;
	if (stat(mmap->path, &st) == 0 && S_ISREG(st.st_mode) && is_same_file(mmap, &st)) {
		m.executable = true;
		m.dev = st.st_dev;
		m.inode = st.st_ino;
	}
	processes_events.map(symbols_processes(s->rt->symbols), (pid_t)mmap->pid, &m);
}

static void note_task(struct samples *s, const struct event *event, const struct sp_perf_task *task)
{
	if (task->comm) {
		note_comm(s, task->tid, sp_arena_strdup(&s->arena, task->comm));
		if (event->record.misc & PERF_RECORD_MISC_COMM_EXEC)
			processes_events.exec(symbols_processes(s->rt->symbols), (pid_t)task->pid);
	} else if (event->record.type == SP_PERF_FORK) {
		note_comm(s, task->tid, comm_of(s, task->parent_tid));
		if (task->pid != task->parent)
			processes_events.fork(symbols_processes(s->rt->symbols), (pid_t)task->pid, (pid_t)task->parent);
	}
}

// ---- samples --------------------------------------------------------------------------------------------------------

static void *room_of(struct samples *s, unsigned variable)
{
	return (char *)s->rt->data + s->variables[variable]->offset;
}

static void set_number(struct samples *s, unsigned variable, uint64_t value)
{
	if (s->variables[variable])
		memcpy(room_of(s, variable), &value, sizeof(value));
}

static void set_text(struct samples *s, unsigned variable, const char *text, size_t len)
{
	size_t room = s->variables[variable]->size;

	memset(room_of(s, variable), 0, room);
	memcpy(room_of(s, variable), text, SP_MIN(len, room - 1));
}

static void set_event(struct samples *s, const struct sp_perf_event *event)
{
	char text[48];

	if (!s->variables[VARIABLE_EVENT])
		return;
	if (!event || event->name) {
		set_text(s, VARIABLE_EVENT, event ? event->name : "", event ? strlen(event->name) : 0);
		return;
	}
	snprintf(text, sizeof(text), "type %u config 0x%llx", event->type, (unsigned long long)event->config);
	set_text(s, VARIABLE_EVENT, text, strlen(text));
}

static void read_stacks(struct samples *s, const struct event *event, const struct sp_perf_sample *sample)
{
	struct sp_perf_cursor chain = sp_perf_cursor(&event->source->data, sample->chain, sample->n_chain * 8);
	union stack *stack = &s->stacks[1];

	memset(s->stacks, 0, sizeof(s->stacks));
	s->stacks[1].head.is_user = 1;
	for (size_t i = 0; i < sample->n_chain; i++) {
		uint64_t address = sp_perf_u64(&chain);
		size_t n = (size_t)stack->head.size / 8;

		if (address >= FIRST_OF_CONTEXT) {
			stack = &s->stacks[address != (uint64_t)PERF_CONTEXT_KERNEL];
		} else if (n < SP_SYMBOLS_MAX) {
			stack->head.addresses[n] = address;
			stack->head.size += 8;
		}
	}
	for (int i = 0; i < 2; i++)
		s->stacks[i].head.pid = sample->who.pid;
	if (!s->stacks[0].head.size || s->knows_kernel || s->told_unknown)
		return;
	s->told_unknown = true;
	sp_log(&s->rt->log, SP_LOG_WARN, "%s: addresses of the kernel have no names: it ran in another boot, or on another machine", event->source->path);
}

// As many whole addresses as there is room for.
static void set_stack(struct samples *s, unsigned variable, union stack *stack)
{
	struct sp_buf text = { 0 };
	size_t len;

	if (!s->variables[variable])
		return;
	stack->head.text = SP_SYMBOL_HEX;
	symbols_put(&text, NULL, stack, sizeof(stack->head) + (size_t)stack->head.size);
	len = text.len;
	while (len >= s->variables[variable]->size)
		for (len--; len && text.data[len - 1] != ' '; len--)
			;
	s->n_cut += len < text.len;
	set_text(s, variable, sp_buf_str(&text), len && text.data[len - 1] == ' ' ? len - 1 : len);
	sp_buf_deinit(&text);
}

static void run_handlers(struct samples *s, const struct event *event, const struct sp_perf_sample *sample)
{
	const struct sp_perf_who *who = &sample->who;
	const struct bundle *bundle = s->rt->bundle;
	uint64_t time = who->time;
	struct sp_deferred when;
	struct vm_task task;

	if (event->source->data.has_clock)
		time += (uint64_t)event->source->data.wall_offset - (uint64_t)s->rt->transport.wall_offset;
	when = (struct sp_deferred){ .pid = who->pid, .tid = who->tid, .uid = UINT32_MAX, .gid = UINT32_MAX, .cpu = who->cpu, .time = time };
	task = (struct vm_task){ .pid = who->pid, .tid = who->tid, .ppid = UINT32_MAX, .uid = UINT32_MAX, .gid = UINT32_MAX, .euid = UINT32_MAX,
				 .egid = UINT32_MAX, .cpu = who->cpu, .deferred = &when,
				 .stacks = { &s->stacks[0].head, &s->stacks[1].head } };
	const char *comm = comm_of(s, who->tid);

	read_stacks(s, event, sample);
	snprintf(task.comm, sizeof(task.comm), "%s", comm ? comm : "");
	memcpy(when.comm, task.comm, sizeof(when.comm));
	set_event(s, who->event);
	set_number(s, VARIABLE_TIME, who->time);
	set_number(s, VARIABLE_IP, sample->ip);
	set_number(s, VARIABLE_ADDR, sample->addr);
	set_number(s, VARIABLE_PERIOD, sample->period);
	set_stack(s, VARIABLE_STACK, &s->stacks[0]);
	set_stack(s, VARIABLE_USTACK, &s->stacks[1]);
	for (unsigned i = 0; i < bundle->n_sites && !rt_is_over(s->rt); i++)
		if (bundle->sites[i].kind == SP_SITE_SAMPLE && sp_streq(bundle_text(bundle, bundle->sites[i].symbol), event->source->path))
			rt_process_handler(s->rt, i, &task, NULL, 0);
}

static void take(struct samples *s, const struct event *event)
{
	const struct sp_perf_data *data = &event->source->data;
	struct sp_perf_sample sample;
	struct sp_perf_mmap mmap;
	struct sp_perf_task task;

	if (sp_perf_mmap(data, &event->record, &mmap))
		note_mmap(s, &mmap);
	else if (sp_perf_task(data, &event->record, &task))
		note_task(s, event, &task);
	else if (sp_perf_sample(data, &event->record, &sample))
		run_handlers(s, event, &sample);
}

static void begin(struct samples *s)
{
	s->knows_kernel = is_this_kernel(s);
	symbols_set_recorded(s->rt->symbols, s->knows_kernel);
}

static bool samples_run(struct samples *s)
{
	if (!s->next)
		begin(s);
	for (size_t end = SP_MIN(s->next + MANY, s->events.n); s->next < end && !rt_is_over(s->rt); s->next++)
		take(s, &s->events.v[s->next]);
	if (s->next < s->events.n)
		return true;
	if (s->n_cut)
		sp_log(&s->rt->log, SP_LOG_WARN, "%llu stacks of samples were cut (-D MAXSTRINGLEN=N makes room)", (unsigned long long)s->n_cut);
	return false;
}

SP_EXPORT const struct spilert_sampler spilert_sampler = { .open = samples_open, .run = samples_run, .close = samples_close };

// ---- the session, which programs without a sampler have, too --------------------------------------------------------

struct sp_err *rt_samples_start(struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_sites; i++) {
		const struct sp_site *site = &rt->bundle->sites[i];

		if (site->kind != SP_SITE_SAMPLE)
			continue;
		if (rt->opts.sampler)
			return rt->opts.sampler->open(rt, &rt->samples);
		return sp_err_new(SP_ERR_SCRIPT, "probe %s: spile reads such files, this program does not", bundle_text(rt->bundle, site->point));
	}
	return NULL;
}

void rt_samples_take(struct spilert *rt)
{
	if (!rt->samples || rt->opts.sampler->run(rt->samples))
		return;
	rt_samples_end(rt);
	rt->ending = true;
}

void rt_samples_end(struct spilert *rt)
{
	if (rt->samples)
		rt->opts.sampler->close(rt->samples);
	rt->samples = NULL;
}
