// SPDX-License-Identifier: GPL-2.0-or-later
/** What processes have mapped, as /proc or the kernel's events tell, and the symbols of those files. It is known of all that run, and of
 *  the last ones that have ended: some thousand, fewer when the symbols that they alone have need much memory. */
#ifndef SP_RUNTIME_PROCESSES_H
#define SP_RUNTIME_PROCESSES_H

#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/print/mapped.h"
#include "runtime/print/symbols_file.h"

#include <time.h>

struct mapped_key {
	uint64_t dev, inode, path; // of the path the hash
};

/** A file that processes have mapped. */
struct mapped_file {
	struct mapped_key key;
	char *path; // as the process sees it
	struct symbols_file *symbols; // NULL: no code of it was mapped, it cannot be read, or nobody has asked: see processes_symbols()
	size_t size; // of the symbols in memory
	bool is_here; // the path leads us to the same file
	struct timespec changed; // when it was changed last, then
	char *reader; // the path by which the symbols can be read; NULL: they are read
	struct timespec seen_changed; // when the file of that path was changed last
	unsigned n_mappings, n_running; // of all processes, and of those that run
};

struct mapping {
	uint64_t start, end, offset;
	struct mapped_file *file;
	bool is_code;
};

struct known_process {
	uint64_t generation; // which of those that had the pid, or programs that it ran, from 1 on
	bool has_ended, is_whole; // whole: not only what it has mapped since somebody listens is known
	SP_VEC(struct mapping) mappings; // a later one may lie over an older one
	size_t many; // of them: nobody tells what is unmapped, so they are read anew then
	uint64_t asked; // the address that was looked for last, among
	size_t n_asked; // so many mappings, 0: none was,
	size_t found; // and behind which one's index that is: 0, none
};

#define PROCESSES_ENDED_MAX 4096
#define PROCESSES_MANY_MAPPINGS 4096
#define PROCESSES_IDLE_MAX (64 << 20) // bytes

/** A zeroed struct is empty. */
struct processes {
	bool is_recorded; // on another machine, perhaps: /proc is not asked
	uint64_t n_generations;
	struct sp_hash by_pid; // -> struct known_process
	struct sp_hash files; // struct mapped_key -> the newest struct mapped_file: a new file can have the inode of one that has gone
	struct known_process *replaced; // the last one whose pid another has, which often maps the same files
	pid_t ended[PROCESSES_ENDED_MAX]; // a ring
	unsigned n_ended, n_forgotten; // ever
	size_t idle; // bytes of symbols of files that no running process has mapped
	struct sp_err *unread; // see symbols_unread()
	/** Told of a file that is met for the first time, or was changed since, when its path leads us to it. NULL: nobody is. */
	void (*met)(void *ctx, const struct image_mapping *m, const struct timespec *changed);
	void *met_ctx;
};

void processes_deinit(struct processes *processes);
/** NULL: nothing is known of it. */
struct known_process *processes_find(const struct processes *processes, pid_t pid);
/** The newest mapping that holds an address, as it may lie over an older one. NULL: none does, or nothing is known of the process. */
const struct mapping *processes_mapping(struct known_process *process, uint64_t address);
/** Reads what a running process has mapped. What is known of one that has ended stays. */
void processes_read(struct processes *processes, pid_t pid);
/** If something is known of it, adds what it has mapped since, perhaps where other code was. */
void processes_read_changed(struct processes *processes, pid_t pid);
/** The first of these for all processes that run, but those of which all is known. Symbols are read when somebody asks. */
void processes_read_running(struct processes *processes);
/** The symbols of a file; NULL: there are none, or it has gone or changed before they were read. */
struct symbols_file *processes_symbols(struct processes *processes, struct mapped_file *file);
/** Their context is a struct processes. */
extern const struct mapped_events processes_events;

#endif
