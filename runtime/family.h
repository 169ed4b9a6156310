// SPDX-License-Identifier: GPL-2.0-or-later
/** With -c or -x process() handlers are the target's and its descendants' alone. In the kernel each looks for the current
 *  process in the map SP_MAP_FAMILY. Two small programs keep that map: one adds the child of each fork of a member, one
 *  takes out who is gone, before anybody else can get the number. */
#ifndef SP_RUNTIME_FAMILY_H
#define SP_RUNTIME_FAMILY_H

#include "runtime/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FAMILY_MAX 16384 // threads and processes alive at a time

/** Where the kernel tells of forks and ends. */
struct family_events {
	uint64_t fork_id, free_id;
	unsigned child_offset, pid_offset; // in their records
};

/** Why the processes of the family cannot be told apart here; NULL: they can. */
struct sp_err *family_find_events(struct family_events *ret);

struct family {
	int map_fd; // not ours
	int prog_fds[2], event_fds[2];
};

/** Not started. */
#define FAMILY_NONE ((struct family){ .map_fd = -1, .prog_fds = { -1, -1 }, .event_fds = { -1, -1 } })

/** From here on `map_fd` holds `root` and what it starts; `is_running`: what it has started before, too. */
struct sp_err *family_start(const struct family_events *events, int map_fd, pid_t root, bool is_running,
			    struct family *ret);
/** The descriptors that keep the map up to date are the caller's then, whose closing takes its time. */
void family_take_events(struct family *family, int fds[2]);
/** Forks that found the map full. */
uint64_t family_lost(const struct family *family);
void family_stop(struct family *family);

#endif
