// SPDX-License-Identifier: GPL-2.0-or-later
/** The unwind tables in the kernel (abi/unwind.h): which files have one, and when it is made.
 *
 *  The idea. Walks find files as they are mapped, by their inodes, so nothing is kept of processes. Tables of what is known before
 *  the probes are attached are made then; a walk that meets another file leaves a note, and the runtime makes that one's. Until then
 *  frames of that file are found by frame pointers.
 *
 *  The invariant. A file is looked at once, and once more when it is met changed: a file that is written anew keeps its inode, and a new
 *  one can have that of one that has gone. */
#ifndef SP_RUNTIME_UNWIND_H
#define SP_RUNTIME_UNWIND_H

#include "runtime/base/log.h"

#include <sys/types.h>
#include <time.h>

struct unwind;
struct image_mapping;

struct unwind_fds {
	int tables, files, wanted, rules; // the maps; -1: the programs have none
};

/** Begins with what every process has: the vDSO, the C library and the dynamic linker. */
struct unwind *unwind_create(const struct unwind_fds *fds);
void unwind_destroy(struct unwind *unwind);

/** A program or library that will be mapped, and the libraries that it needs. */
void unwind_add_program(struct unwind *unwind, const char *path);
/** What a process maps now. */
void unwind_add_process(struct unwind *unwind, pid_t pid);
/** What all processes map that have one of the files that are known by unwind_add_program. */
void unwind_add_users(struct unwind *unwind);
/** A file is mapped that was changed last then: walks ask again for the table of one that was another before. `ctx`: a struct unwind. */
void unwind_met(void *ctx, const struct image_mapping *m, const struct timespec *changed);
/** What walks have asked for; and the kernel gets the tables that have been made since, all together. */
void unwind_update(struct unwind *unwind);
/** Tells how many tables there are, and rows in them, and once which are missing. */
void unwind_tell(struct unwind *unwind, const struct sp_log *log);

#endif
