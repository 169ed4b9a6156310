// SPDX-License-Identifier: GPL-2.0-or-later
/** Paths of files that another process uses. A process can have another root folder or other mounts than we have, and its files can
 *  be deleted or replaced since it has opened them. Then the path that it knows a file by is another file for us, or none. */
#ifndef SP_DEBUG_DBG_PROCESS_H
#define SP_DEBUG_DBG_PROCESS_H

#include "runtime/base/err.h"
#include "runtime/base/vec.h"

#include <sys/types.h>

/** As realpath(3), to be freed, but always a path to the very file that `path` is: "/proc/PID/root/lib/x.so" stays below that root,
 *  and symbolic links on the way are followed as the process would. NULL and errno: there is no such file. */
char *dbg_process_real_path(const char *path);
/** The part of a path that is the root folder of a process, "/proc/PID/root" of "/proc/PID/root/lib/x.so"; 0: none. */
size_t dbg_process_root_len(const char *path);
/** Our path of the program that a process runs, to be freed. NULL: there is no such process, or we may not look at it. */
char *dbg_process_program(pid_t pid);

/** A file that a process has mapped. */
struct dbg_mapped {
	uint64_t start, end, offset;
	bool executable;
	const char *path; // ours; this and the next are valid during the call
	const char *inner; // as the process knows it; " (deleted)" follows when that path is not the file's any more
};

/** Calls `each` with the mappings of files until it returns false. An error: only some could be read; those of a process that has gone, or
 *  that we may not look at, are none. */
struct sp_err *dbg_process_mappings(pid_t pid, bool (*each)(void *ctx, const struct dbg_mapped *mapped), void *ctx);
/** Has the process mapped a file that it knows, or knew, by that path, which for us is another file? */
bool dbg_process_maps_other(pid_t pid, const char *path);

#endif
