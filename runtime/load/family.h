// SPDX-License-Identifier: GPL-2.0-or-later
/** The processes that process() handlers in the kernel are for: with -c or -x the target and its descendants, and
 *  processes that run a certain program. A handler looks the current process up in the map SP_MAP_FAMILY. Four small
 *  BPF programs keep that map: at a fork, the child gets its parent's bits; when a process is freed, it is taken out,
 *  before another one can get its pid; at the entry of each program that sites name, the process gets that program's
 *  bit; at an exec it loses such bits. */
#ifndef SP_RUNTIME_FAMILY_H
#define SP_RUNTIME_FAMILY_H

#include "runtime/base/err.h"
#include "runtime/load/hooks.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FAMILY_MAX 16384 // threads and processes alive at a time

/** Where the kernel tells of forks, of ends, and of execs. */
enum family_event { FAMILY_FORK, FAMILY_FREE, FAMILY_EXEC, FAMILY_EVENTS };
struct family_events {
	struct {
		uint64_t id;
		unsigned offset; // of the process's number in the event's record
	} v[FAMILY_EVENTS];
};

/** Are our pids those that handlers in the kernel see? Not in a PID namespace of our own. */
bool family_sees_kernel_pids(void);
/** Why the processes of the family cannot be told apart here; NULL: they can. */
struct sp_err *family_find_events(struct family_events *ret);

struct layout;

struct family_program {
	const char *path;
	uint64_t bit; // SP_FAMILY_PROGRAM
};

struct family_input {
	struct family_events events;
	struct layout *layout;
	int map_fd;
	pid_t root; // 0: none
	bool is_running; // the root may have started others before
	const struct family_program *programs;
	unsigned n_programs;
};

struct family {
	int map_fd; // not ours
	struct hooks hooks;
};

/** From here on the map holds the root, its descendants, and the processes that run the programs. */
struct sp_err *family_start(const struct family_input *input, struct family *ret);
/** Processes that start the file that the program's path names now run the program, too. */
struct sp_err *family_add_program(struct family *family, const struct family_program *program);
/** Is the process the root or a descendant? */
bool family_has(const struct family *family, pid_t pid);
/** Forks that found the map full. */
uint64_t family_lost(const struct family *family);
void family_stop(struct family *family);

#endif
