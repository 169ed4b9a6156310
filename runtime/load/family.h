// SPDX-License-Identifier: GPL-2.0-or-later
/** Which processes process() handlers in the kernel are for: with -c or -x the target and its descendants; those that run a
 *  certain program. Handlers look for the current process in the map SP_MAP_FAMILY. Small programs keep it: one gives the
 *  child of each fork what its parent is, one takes out who is gone, before anybody else can get the number; one sits at
 *  the entry of each program, so that what it is follows from what the kernel has mapped, and one forgets that at an
 *  exec. */
#ifndef SP_RUNTIME_FAMILY_H
#define SP_RUNTIME_FAMILY_H

#include "runtime/base/err.h"
#include "runtime/base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FAMILY_MAX 16384 // threads and processes alive at a time

/** Where the kernel tells of forks and ends. */
struct family_events {
	uint64_t fork_id, free_id, exec_id;
	unsigned child_offset, pid_offset; // in their records
};

/** Why the processes of the family cannot be told apart here; NULL: they can. */
struct sp_err *family_find_events(struct family_events *ret);

struct family_program {
	const char *path;
	uint64_t bit; // SP_FAMILY_PROGRAM
};

struct family_input {
	struct family_events events;
	int map_fd;
	pid_t root; // 0: none
	bool is_running; // the root may have started others before
	const struct family_program *programs;
	unsigned n_programs;
};

struct family {
	int map_fd; // not ours
	SP_VEC(int) fds; // of the programs
	SP_VEC(int) events; // that they are attached to
};

/** From here on the map holds the root, what it starts, and who runs the programs. */
struct sp_err *family_start(const struct family_input *input, struct family *ret);
/** Forks that found the map full. */
uint64_t family_lost(const struct family *family);
/** Closing the events takes its time: the caller may have taken them over. */
void family_stop(struct family *family);

#endif
