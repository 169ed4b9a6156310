// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/print/mapped.h"

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define PAGES_OF_TARGET 64
#define PAGES_OF_ALL 128 // every program that starts anywhere is told

struct ring {
	int fd;
	unsigned cpu;
	bool is_old; // closed when what is in it has been taken
	struct perf_event_mmap_page *page;
};

#define LONG_RECORD 4352 // with a path of 4096 bytes

struct mapped {
	pid_t target; // 0: all processes
	size_t page_size, data_size;
	SP_VEC(struct ring) rings; // one a processor, and old ones of those that have come back
	int epoll_fd;
	struct epoll_event wakeup; // of which ring does not matter; no events: it is not asked for
	uint64_t n_lost; // as far as the kernel has told: it does so with the next record
	bool was_full; // a ring had no room for a long record
};

// A record, copied.
struct event {
	uint64_t time;
	struct perf_event_header *head;
};

// The beginnings of records (perf_event_open(2)). Behind them all is the time.
struct map_record {
	struct perf_event_header head;
	uint32_t pid, tid;
	uint64_t address, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct lost_record {
	struct perf_event_header head;
	uint64_t id, n;
};

struct task_record {
	struct perf_event_header head;
	uint32_t pid, parent, tid;
};

// The kernel wakes us when half of a ring is full. The end of a target would be told again and again, but at an edge.
static struct sp_err *watch_ring(const struct mapped *mapped, int fd)
{
	struct epoll_event event = mapped->wakeup;

	if (event.events && epoll_ctl(mapped->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return sp_err_errno(errno, "epoll_ctl");
	return NULL;
}

struct sp_err *mapped_watch(struct mapped *mapped, int epoll_fd, uint64_t data)
{
	mapped->epoll_fd = epoll_fd;
	mapped->wakeup = (struct epoll_event){ .events = EPOLLIN | EPOLLET, .data.u64 = data };
	sp_vec_each(ring, &mapped->rings)
		SP_TRY(watch_ring(mapped, ring->fd));
	return NULL;
}

// Events of a process, which its children inherit, go on where a processor comes back; those of a processor do not.
static bool goes_on(const struct mapped *mapped, unsigned cpu)
{
	sp_vec_each(ring, &mapped->rings)
		if (ring->cpu == cpu)
			return mapped->target != 0;
	return false;
}

static void push_ring(struct mapped *mapped, struct ring ring)
{
	sp_vec_each(other, &mapped->rings)
		other->is_old |= other->cpu == ring.cpu;
	sp_vec_push(&mapped->rings, ring);
}

struct sp_err *mapped_add_cpu(struct mapped *mapped, unsigned cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .inherit = mapped->target != 0, .mmap = 1, .mmap2 = 1, .comm = 1,
		.comm_exec = 1, .task = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
	};
	struct ring ring = { .cpu = cpu };
	void *page;
	int error;

	if (goes_on(mapped, cpu))
		return NULL;
	ring.fd = (int)syscall(SYS_perf_event_open, &attr, mapped->target ? mapped->target : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring.fd < 0 && errno == ENODEV)
		return NULL; // the processor is off
	if (ring.fd < 0)
		return sp_err_errno(errno, "perf_event_open");
	page = mmap(NULL, mapped->page_size + mapped->data_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	if (page == MAP_FAILED) {
		error = errno;
		close(ring.fd);
		return sp_err_errno(error, "a buffer of %zu kB for each processor (kernel.perf_event_mlock_kb)", mapped->data_size / 1024);
	}
	ring.page = page;
	push_ring(mapped, ring);
	return watch_ring(mapped, ring.fd);
}

struct sp_err *mapped_open(pid_t target, struct mapped **ret)
{
	struct mapped *mapped = sp_calloc(1, sizeof(*mapped));
	unsigned n_cpus = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	struct sp_err *err = NULL;

	mapped->target = target;
	mapped->page_size = (size_t)sysconf(_SC_PAGESIZE);
	mapped->data_size = mapped->page_size * (target ? PAGES_OF_TARGET : PAGES_OF_ALL);
	for (unsigned cpu = 0; cpu < n_cpus && !err; cpu++)
		err = mapped_add_cpu(mapped, cpu);
	if (err)
		mapped_close(mapped);
	else
		*ret = mapped;
	return err;
}

static void close_ring(const struct mapped *mapped, const struct ring *ring)
{
	munmap(ring->page, mapped->page_size + mapped->data_size);
	close(ring->fd);
}

void mapped_close(struct mapped *mapped)
{
	if (!mapped)
		return;
	sp_vec_each(ring, &mapped->rings)
		close_ring(mapped, ring);
	sp_vec_deinit(&mapped->rings);
	free(mapped);
}

// ---- reading ---------------------------------------------------------------------------------------------------------

static void copy_out(const struct mapped *mapped, const struct ring *ring, uint64_t at, void *dst, size_t size)
{
	const char *data = (const char *)ring->page + mapped->page_size;
	size_t from = at % mapped->data_size, first = SP_MIN(size, mapped->data_size - from);

	memcpy(dst, data + from, first);
	memcpy((char *)dst + first, data, size - first);
}

struct events {
	SP_VEC(struct event) v;
};

static void take_ring(struct mapped *mapped, const struct ring *ring, struct events *events)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), at = ring->page->data_tail;

	mapped->was_full |= head - at > mapped->data_size - LONG_RECORD;
	while (at < head) {
		struct perf_event_header record;
		struct event event;

		copy_out(mapped, ring, at, &record, sizeof(record));
		if (record.size < sizeof(record) + sizeof(event.time))
			break;
		event.head = sp_malloc(record.size);
		copy_out(mapped, ring, at, event.head, record.size);
		memcpy(&event.time, (const char *)event.head + record.size - sizeof(event.time), sizeof(event.time));
		sp_vec_push(&events->v, event);
		at += record.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static void close_old(struct mapped *mapped)
{
	size_t n = 0;

	sp_vec_each(ring, &mapped->rings)
		if (ring->is_old)
			close_ring(mapped, ring);
		else
			mapped->rings.v[n++] = *ring;
	mapped->rings.n = n;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static void tell_map(const struct map_record *record, const struct mapped_events *events, void *ctx)
{
	struct image_mapping mapping = {
		.start = record->address, .end = record->address + record->length, .offset = record->offset, .executable = true,
		.dev = makedev(record->major, record->minor), .inode = record->inode, .path = record->path,
	};

	if (record->head.size > sizeof(*record) && mapping.inode && mapping.path[0] == '/' && mapping.path[1] != '/')
		events->map(ctx, (pid_t)record->pid, &mapping);
}

static void tell(const struct event *event, const struct mapped_events *events, void *ctx)
{
	const struct task_record *task = (const void *)event->head;

	if (event->head->size < sizeof(*task))
		return;
	if (event->head->type == PERF_RECORD_MMAP2)
		tell_map((const void *)event->head, events, ctx);
	else if (event->head->type == PERF_RECORD_FORK && task->pid != task->parent)
		events->fork(ctx, (pid_t)task->pid, (pid_t)task->parent);
	else if (event->head->type == PERF_RECORD_COMM && (event->head->misc & PERF_RECORD_MISC_COMM_EXEC))
		events->exec(ctx, (pid_t)task->pid);
	else if (event->head->type == PERF_RECORD_EXIT && task->pid == task->tid)
		events->exit(ctx, (pid_t)task->pid);
}

void mapped_take(struct mapped *mapped, const struct mapped_events *events, void *ctx)
{
	struct events all = { 0 };

	sp_vec_each(ring, &mapped->rings)
		take_ring(mapped, ring, &all);
	close_old(mapped);
	if (all.v.n)
		qsort(all.v.v, all.v.n, sizeof(*all.v.v), by_time);
	sp_vec_each(event, &all.v) {
		if (event->head->type == PERF_RECORD_LOST && event->head->size >= sizeof(struct lost_record))
			mapped->n_lost += ((const struct lost_record *)(const void *)event->head)->n;
		tell(event, events, ctx);
		free(event->head);
	}
	sp_vec_deinit(&all.v);
}

uint64_t mapped_lost(const struct mapped *mapped)
{
	return SP_MAX(mapped->n_lost, mapped->was_full);
}
