// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // basename
#include "runtime/unwind/unwind.h"

#include "runtime/abi/unwind.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/machine/image.h"
#include "runtime/unwind/unwind_needed.h"
#include "runtime/unwind/unwind_table.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ELEMENTS (64u << 20) // of all tables: 512 MB
#define EARLY_ROWS (1u << 20) // before the probes are attached; a library that is probed may be everywhere
#define MAX_WANTED 64 // that are looked at in one turn
#define MAX_QUEUED 64 // tables, each an open file

struct unwind {
	struct unwind_fds fds;
	struct sp_hash paths; // programs and libraries that were added
	struct sp_hash programs; // struct sp_unwind_key of these
	struct sp_hash files; // struct sp_unwind_key of all that were looked at -> version_of()
	uint32_t n_tables;
	uint64_t n_elements, n_rows;
	struct sp_err *unread; // why a table is missing that could be made; NULL: none is
	int error; // errno of the last table that is not in the kernel; 0: all are
	uint32_t n_queued; // tables with the last numbers, which the kernel does not have yet
	uint32_t numbers[MAX_QUEUED];
	int queue[MAX_QUEUED]; // their maps
};

// ---- tables ----------------------------------------------------------------------------------------------------------

// As the map of tables wants it (load_unwind.h), with the elements written through memory.
static int make_map(const struct unwind_table *table)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);
	size_t size = table->elements.n * sizeof(uint64_t);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "spile_unwind", sizeof(uint32_t), sizeof(uint64_t), (uint32_t)table->elements.n, &opts);
	void *memory = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	memcpy(memory, table->elements.v, size);
	munmap(memory, size);
	return fd;
}

// The kernel waits for all programs that run once for each call that puts some, 10 ms or more; before 6.8, for each table. Before 5.19 it
// takes them one by one. Walks that meet a number without a table find frames by frame pointers.
static void flush(struct unwind *u)
{
	uint32_t n = u->n_queued;
	bool failed = bpf_map_update_batch(u->fds.tables, u->numbers, u->queue, &n, NULL);

	while (u->n_queued) {
		const int *fd = &u->queue[--u->n_queued];
		if (failed && bpf_map_update_elem(u->fds.tables, &u->numbers[u->n_queued], fd, BPF_ANY))
			u->error = errno;
		close(*fd);
	}
}

static bool put_table(struct unwind *u, const struct unwind_table *table)
{
	int fd = -1;

	errno = ENOSPC;
	if (u->n_tables + 1 < SP_UNWIND_TABLES && table->elements.n <= MAX_ELEMENTS - u->n_elements)
		fd = make_map(table);
	if (fd < 0) {
		u->error = errno;
		return false;
	}
	u->numbers[u->n_queued] = ++u->n_tables;
	u->queue[u->n_queued++] = fd;
	if (u->n_queued == MAX_QUEUED)
		flush(u);
	u->n_elements += table->elements.n;
	u->n_rows += unwind_table_rows(table);
	return true;
}

// A file without a table is told as well, so that nobody asks for it again: number 0 is no table.
static void put_file(struct unwind *u, const struct sp_unwind_key *key, const struct unwind_table *table)
{
	struct sp_unwind_file file = { .shift = table->shift, .n_buckets = table->n_buckets };

	if (table->elements.n && put_table(u, table))
		file.table = u->n_tables;
	bpf_map_update_elem(u->fds.files, key, &file, BPF_ANY);
}

// When the file was changed last.
static void *version_of(const struct timespec *changed)
{
	return (void *)(uintptr_t)((uint64_t)changed->tv_sec * 1000000000 + (uint64_t)changed->tv_nsec + 1);
}

// Of more files than the map has room for, walks could not be told.
static bool is_new(struct unwind *u, const struct sp_unwind_key *key, void *version)
{
	if (sp_hash_find(&u->files, key, sizeof(*key)))
		return false;
	if (u->files.n_live >= SP_UNWIND_FILES) {
		u->error = ENOSPC;
		return false;
	}
	*sp_hash_insert(&u->files, key, sizeof(*key)) = version;
	return true;
}

// The kernel's own code in each process, the vDSO, has no file. What is behind its end in the page does no harm.
static struct sp_err *read_vdso(struct unwind_table *ret)
{
	void *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *head = vdso;

	return vdso ? unwind_table_read_memory(vdso, head->e_shoff + (size_t)head->e_shnum * head->e_shentsize, ret) : NULL;
}

// Without a path, the vDSO's.
static void add_file(struct unwind *u, const struct sp_unwind_key *key, const char *path)
{
	struct unwind_table table = { 0 };
	struct stat st = { 0 };

	if (path)
		stat(path, &st); // if it fails, the process has ended
	if (!is_new(u, key, version_of(&st.st_mtim)))
		return;
	sp_err_keep(&u->unread, path ? unwind_table_read(path, &table) : read_vdso(&table)); // then it is empty
	put_file(u, key, &table);
	unwind_table_deinit(&table);
}

// ---- what is mapped --------------------------------------------------------------------------------------------------

// As the kernel numbers devices itself: programs get the low bits of the minor number below the major one (makedev(3)).
static struct sp_unwind_key key_of(const struct image_mapping *m)
{
	return (struct sp_unwind_key){ (m->dev & 0xfff00) << 12 | (m->dev & 0xff) | (m->dev >> 12 & 0xfff00), m->inode };
}

struct looking {
	struct unwind *unwind;
	pid_t pid;
	uint64_t start; // wanted; 0: all that is executable
	bool found;
	struct sp_unwind_key key;
};

static void add_mapping(struct unwind *u, pid_t pid, const struct image_mapping *m, const struct sp_unwind_key *key)
{
	sp_cleanup_free char *path = image_mapping_path(pid, m);

	add_file(u, key, path);
}

static bool look_at_mapping(void *ctx, const struct image_mapping *m)
{
	struct looking *l = ctx;

	if (l->start && m->start != l->start)
		return true;
	if (!l->start)
		l->key = key_of(m);
	if (l->start || m->executable)
		add_mapping(l->unwind, l->pid, m, &l->key);
	return !l->start;
}

void unwind_add_process(struct unwind *u, pid_t pid)
{
	struct looking looking = { .unwind = u, .pid = pid };

	sp_err_free(image_each_mapping(pid, look_at_mapping, &looking));
}

void unwind_met(void *ctx, const struct image_mapping *m, const struct timespec *changed)
{
	struct unwind *u = ctx;
	struct sp_unwind_key key = key_of(m);
	void **known = sp_hash_find(&u->files, &key, sizeof(key));

	if (!known || *known == version_of(changed))
		return;
	sp_hash_remove(&u->files, &key, sizeof(key));
	bpf_map_delete_elem(u->fds.files, &key);
	for (uint32_t i = 0; u->fds.rules >= 0 && i < 1u << SP_UNWIND_RULE_BITS; i++) // walks of the process may have found some already
		bpf_map_update_elem(u->fds.rules, &i, &(struct sp_unwind_rule){ 0 }, BPF_ANY);
}

// ---- programs --------------------------------------------------------------------------------------------------------

static bool take_key(void *ctx, const struct image_mapping *m)
{
	struct looking *l = ctx;

	if (m->start != l->start)
		return true;
	l->found = true;
	l->key = key_of(m);
	return false;
}

// What the file's device and inode are where it is mapped: stat(2) tells other devices on some file systems.
static bool find_key(const char *path, struct sp_unwind_key *ret)
{
	sp_cleanup_close int fd = sp_file_open_regular(path);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	struct looking looking = { .start = (uintptr_t)memory };

	if (memory == MAP_FAILED)
		return false;
	sp_err_free(image_each_mapping(getpid(), take_key, &looking));
	munmap(memory, size);
	*ret = looking.key;
	return looking.found;
}

static void add_with_needed(void *ctx, const char *path)
{
	struct unwind *u = ctx;
	struct sp_unwind_key key;
	void **known = sp_hash_insert(&u->paths, path, strlen(path));

	if (*known)
		return;
	*known = u;
	if (!find_key(path, &key))
		return;
	add_file(u, &key, path);
	unwind_each_needed(path, add_with_needed, u);
}

void unwind_add_program(struct unwind *u, const char *path)
{
	struct sp_unwind_key key;

	add_with_needed(u, path);
	if (find_key(path, &key))
		*sp_hash_insert(&u->programs, &key, sizeof(key)) = u;
}

static bool is_user(void *ctx, const struct image_mapping *m)
{
	struct looking *l = ctx;
	struct sp_unwind_key key = key_of(m);

	l->found = m->executable && sp_hash_find(&l->unwind->programs, &key, sizeof(key));
	return !l->found;
}

void unwind_add_users(struct unwind *u)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && u->n_rows < EARLY_ROWS && (entry = readdir(dir))) {
		struct looking looking = { .unwind = u, .pid = (pid_t)strtol(entry->d_name, NULL, 10) };

		if (looking.pid > 0)
			sp_err_free(image_each_mapping(looking.pid, is_user, &looking));
		if (looking.found)
			unwind_add_process(u, looking.pid);
	}
	if (dir)
		closedir(dir);
}

// ---- what walks ask for ----------------------------------------------------------------------------------------------

void unwind_update(struct unwind *u)
{
	struct sp_unwind_key key;

	for (unsigned i = 0; i < MAX_WANTED && !bpf_map_get_next_key(u->fds.wanted, NULL, &key); i++) {
		struct looking looking = { .unwind = u, .key = key };
		struct sp_unwind_wanted wanted;

		if (!bpf_map_lookup_elem(u->fds.wanted, &key, &wanted)) {
			looking.pid = (pid_t)wanted.pid;
			looking.start = wanted.start;
			sp_err_free(image_each_mapping(looking.pid, look_at_mapping, &looking));
		}
		bpf_map_delete_elem(u->fds.wanted, &key); // if the process is gone, the next one may tell
	}
	if (u->n_queued)
		flush(u);
}

// ---- all -------------------------------------------------------------------------------------------------------------

// What every program maps. This one maps more, which only few others do.
static bool add_basic(void *ctx, const struct image_mapping *m)
{
	const char *name = basename(m->path);

	if (m->executable && (sp_starts_with(name, "libc.so") || sp_starts_with(name, "libc-") || sp_starts_with(name, "ld-"))) {
		struct sp_unwind_key key = key_of(m);

		add_mapping(ctx, getpid(), m, &key);
	}
	return true;
}

struct unwind *unwind_create(const struct unwind_fds *fds)
{
	struct unwind *u = sp_calloc(1, sizeof(*u));

	u->fds = *fds;
	add_file(u, &(struct sp_unwind_key){ 0, 1 }, NULL); // so walks call it
	sp_err_free(image_each_mapping(getpid(), add_basic, u));
	return u;
}

void unwind_destroy(struct unwind *u)
{
	if (!u)
		return;
	sp_hash_deinit(&u->paths);
	sp_hash_deinit(&u->programs);
	sp_hash_deinit(&u->files);
	sp_err_free(u->unread);
	free(u);
}

void unwind_tell(struct unwind *u, const struct sp_log *log)
{
	struct sp_err *unread = u->unread;

	u->unread = NULL;
	sp_log(log, SP_LOG_INFO, "unwind tables of %u files with %" PRIu64 " rows: %" PRIu64 " KB in the kernel", u->n_tables, u->n_rows,
	       u->n_elements * sizeof(uint64_t) / 1024);
	if (unread)
		sp_err_tell(log, SP_LOG_WARN, sp_err_wrap(unread, "frames are found by frame pointers alone in a file"));
	if (u->error)
		sp_log(log, SP_LOG_WARN, "the kernel does not take all unwind tables (%s): other files' frames are found by frame pointers",
		       strerror(u->error));
}
