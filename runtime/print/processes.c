// SPDX-License-Identifier: GPL-2.0-or-later

#include "runtime/print/processes.h"

#include "runtime/base/cleanup.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#define DELETED " (deleted)" // the kernel puts it behind the path of a file that has no name any more: it is the same file

// ---- files -----------------------------------------------------------------------------------------------------------

// Of the file that a path leads to: when it was changed last. False: there is none, or it is another one.
static bool leads_to(const char *path, uint64_t inode, struct timespec *changed_ret)
{
	struct stat st;

	if (stat(path, &st) != 0 || st.st_ino != inode)
		return false;
	*changed_ret = st.st_mtim;
	return true;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static struct mapped_file *file_of(struct processes *processes, const struct image_mapping *m)
{
	size_t len = strlen(m->path);
	struct mapped_key key = { m->dev, m->inode, sp_hash_bytes(m->path, len - (sp_ends_with(m->path, DELETED) ? strlen(DELETED) : 0)) };
	void **known = sp_hash_insert(&processes->files, &key, sizeof(key));
	struct mapped_file *file = *known;
	struct timespec changed = { 0 };
	bool is_here = leads_to(m->path, m->inode, &changed);

	if (file && (!is_here || is_same_time(&file->changed, &changed)))
		return file;
	file = *known = sp_calloc(1, sizeof(*file));
	file->key = key;
	file->path = sp_strdup(m->path);
	file->is_here = is_here;
	file->changed = changed;
	if (is_here && processes->met)
		processes->met(processes->met_ctx, m, &changed);
	return file;
}

static void keep_symbols(struct processes *processes, struct mapped_file *file, struct symbols_file *symbols)
{
	file->symbols = symbols;
	file->size = symbols_file_size(symbols);
	if (!file->n_running) // the process has ended, and the mapping was told late
		processes->idle += file->size;
}

// `seen`: the path by which the process's file was reached; NULL: none. It may lead to another file, or to none: the process can have ended.
static void read_symbols(struct processes *processes, struct mapped_file *file, const char *seen)
{
	struct symbols_file *symbols = seen ? symbols_file_open(seen, &processes->unread) : NULL;

	if (!symbols && (processes->is_recorded || file->is_here))
		symbols = symbols_file_open(file->path, &processes->unread);
	keep_symbols(processes, file, symbols);
}

// Of all that runs on a machine a script names little. A file system can have other numbers for what is mapped: then it is read now.
static void read_symbols_later(struct processes *processes, struct mapped_file *file, char **seen)
{
	if (leads_to(*seen, file->key.inode, &file->seen_changed)) {
		file->reader = *seen;
		*seen = NULL;
	} else {
		read_symbols(processes, file, *seen);
	}
}

struct symbols_file *processes_symbols(struct processes *processes, struct mapped_file *file)
{
	sp_cleanup_free char *seen = file->reader;
	struct timespec changed;

	file->reader = NULL;
	if (!seen || file->symbols)
		return file->symbols;
	if (leads_to(seen, file->key.inode, &changed) && is_same_time(&changed, &file->seen_changed))
		keep_symbols(processes, file, symbols_file_open(seen, &processes->unread));
	else if (file->is_here && leads_to(file->path, file->key.inode, &changed) && is_same_time(&changed, &file->changed))
		keep_symbols(processes, file, symbols_file_open(file->path, &processes->unread));
	return file->symbols;
}

static void file_hold(struct processes *processes, struct mapped_file *file)
{
	file->n_mappings++;
	if (!file->n_running++)
		processes->idle -= file->size;
}

static void file_idle(struct processes *processes, struct mapped_file *file)
{
	if (!--file->n_running)
		processes->idle += file->size;
}

static void file_drop(struct processes *processes, struct mapped_file *file)
{
	void **known;

	if (--file->n_mappings)
		return;
	processes->idle -= file->size;
	known = sp_hash_find(&processes->files, &file->key, sizeof(file->key));
	if (known && *known == file)
		sp_hash_remove(&processes->files, &file->key, sizeof(file->key));
	symbols_file_close(file->symbols);
	free(file->reader);
	free(file->path);
	free(file);
}

// ---- processes -------------------------------------------------------------------------------------------------------

struct known_process *processes_find(const struct processes *processes, pid_t pid)
{
	void **known = sp_hash_find(&processes->by_pid, &pid, sizeof(pid));

	return known ? *known : NULL;
}

static size_t mapping_behind(const struct known_process *process, uint64_t address)
{
	size_t i = process->mappings.n;

	while (i > 0 && (address < process->mappings.v[i - 1].start || address >= process->mappings.v[i - 1].end))
		i--;
	return i;
}

// Stacks begin where others do, so each process is asked for the same address again.
const struct mapping *processes_mapping(struct known_process *process, uint64_t address)
{
	if (!process)
		return NULL;
	if (process->asked != address || process->n_asked != process->mappings.n) {
		process->asked = address;
		process->n_asked = process->mappings.n;
		process->found = mapping_behind(process, address);
	}
	return process->found ? &process->mappings.v[process->found - 1] : NULL;
}

static void process_end(struct processes *processes, struct known_process *process)
{
	if (process->has_ended)
		return;
	process->has_ended = true;
	sp_vec_each(m, &process->mappings)
		file_idle(processes, m->file);
}

static void process_destroy(struct processes *processes, struct known_process *process)
{
	if (!process)
		return;
	process_end(processes, process);
	sp_vec_each(m, &process->mappings)
		file_drop(processes, m->file);
	sp_vec_deinit(&process->mappings);
	free(process);
}

// From now on another process, or another program, has the pid.
static struct known_process *process_begin(struct processes *processes, pid_t pid)
{
	void **known = sp_hash_insert(&processes->by_pid, &pid, sizeof(pid));
	struct known_process *process = sp_calloc(1, sizeof(*process));

	if (*known) {
		process_destroy(processes, processes->replaced);
		processes->replaced = *known;
	}
	process->generation = ++processes->n_generations;
	process->many = PROCESSES_MANY_MAPPINGS;
	*known = process;
	return process;
}

void processes_deinit(struct processes *processes)
{
	process_destroy(processes, processes->replaced);
	sp_hash_each(entry, &processes->by_pid)
		process_destroy(processes, entry->value);
	sp_hash_deinit(&processes->by_pid);
	sp_hash_deinit(&processes->files);
	sp_err_free(processes->unread);
}

static void add_mapping(struct processes *processes, struct known_process *process, struct mapping mapping)
{
	file_hold(processes, mapping.file);
	sp_vec_push(&process->mappings, mapping);
	if (process->has_ended) // it was told late
		file_idle(processes, mapping.file);
}

// A file of which no code is mapped needs no symbols: it may be no program, and large.
static void map(struct processes *processes, struct known_process *process, pid_t pid, const struct image_mapping *m, bool is_for_later)
{
	struct mapped_file *file = file_of(processes, m);
	sp_cleanup_free char *seen = NULL;

	add_mapping(processes, process, (struct mapping){ m->start, m->end, m->offset, file, m->executable });
	if (!m->executable || file->symbols || (is_for_later && file->reader))
		return;
	seen = processes->is_recorded ? NULL : image_mapping_path(pid, m);
	if (is_for_later)
		read_symbols_later(processes, file, &seen);
	else
		read_symbols(processes, file, seen);
}

struct reading {
	struct processes *processes;
	struct known_process *process;
	pid_t pid;
	bool is_for_later;
};

static bool read_mapping(void *ctx, const struct image_mapping *m)
{
	struct reading *r = ctx;

	if (!r->process)
		r->process = process_begin(r->processes, r->pid);
	map(r->processes, r->process, r->pid, m, r->is_for_later);
	return true;
}

static void read_process(struct processes *processes, pid_t pid, bool is_for_later)
{
	struct reading reading = { processes, NULL, pid, is_for_later };

	if (!processes->is_recorded)
		sp_err_keep(&processes->unread, image_each_mapping(pid, read_mapping, &reading));
	if (!reading.process)
		return;
	reading.process->is_whole = true;
	reading.process->many = SP_MAX(reading.process->mappings.n * 2, (size_t)PROCESSES_MANY_MAPPINGS);
}

void processes_read(struct processes *processes, pid_t pid)
{
	read_process(processes, pid, false);
}

void processes_read_running(struct processes *processes)
{
	DIR *folder = processes->is_recorded ? NULL : opendir("/proc");

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		const struct known_process *process = processes_find(processes, pid);

		if (pid > 0 && !(process && process->is_whole))
			read_process(processes, pid, true);
	}
	if (folder)
		closedir(folder);
}

// ---- events ----------------------------------------------------------------------------------------------------------

static void note_map(void *ctx, pid_t pid, const struct image_mapping *m)
{
	struct known_process *process = processes_find(ctx, pid);

	if (process && !process->has_ended && process->mappings.n >= process->many) {
		processes_read(ctx, pid);
		process = processes_find(ctx, pid);
	}
	map(ctx, process ? process : process_begin(ctx, pid), pid, m, false);
}

static bool note_changed(void *ctx, const struct image_mapping *m)
{
	const struct reading *r = ctx;
	const struct mapping *known = processes_mapping(processes_find(r->processes, r->pid), m->start);

	if (!known || known->start != m->start || known->end != m->end || known->offset != m->offset || known->file != file_of(r->processes, m))
		note_map(r->processes, r->pid, m);
	return true;
}

void processes_read_changed(struct processes *processes, pid_t pid)
{
	struct reading reading = { processes, NULL, pid, false };

	if (!processes->is_recorded && processes_find(processes, pid))
		sp_err_keep(&processes->unread, image_each_mapping(pid, note_changed, &reading));
}

static void note_fork(void *ctx, pid_t pid, pid_t parent)
{
	struct known_process *from = processes_find(ctx, parent), *to = process_begin(ctx, pid);

	to->is_whole = from && from->is_whole;
	for (size_t i = 0; from && i < from->mappings.n; i++)
		add_mapping(ctx, to, from->mappings.v[i]);
}

static void note_exec(void *ctx, pid_t pid)
{
	process_begin(ctx, pid)->is_whole = true;
}

// On a machine where programs come and go all the time, what is known of them must not grow.
static void forget_oldest(struct processes *processes)
{
	pid_t pid = processes->ended[processes->n_forgotten++ % PROCESSES_ENDED_MAX];
	struct known_process *process = processes_find(processes, pid);

	if (!process || !process->has_ended) // another one that runs has the pid
		return;
	sp_hash_remove(&processes->by_pid, &pid, sizeof(pid));
	process_destroy(processes, process);
}

static void note_exit(void *ctx, pid_t pid)
{
	struct processes *processes = ctx;
	struct known_process *process = processes_find(processes, pid);

	if (!process || process->has_ended)
		return;
	while (processes->n_ended - processes->n_forgotten > (processes->idle > PROCESSES_IDLE_MAX ? 0 : PROCESSES_ENDED_MAX - 1))
		forget_oldest(processes);
	process_end(processes, process);
	processes->ended[processes->n_ended++ % PROCESSES_ENDED_MAX] = pid;
}

const struct mapped_events processes_events = { note_map, note_fork, note_exec, note_exit };
