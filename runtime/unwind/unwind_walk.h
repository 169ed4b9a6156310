// SPDX-License-Identifier: GPL-2.0-or-later
/** Walks the stack of a stopped thread as handlers in the kernel do (compiler/gen/kernel/gen_unwind.c): by the tables of the files that
 *  its process maps, and by frame pointers where a file has none. */
#ifndef SP_RUNTIME_UNWIND_WALK_H
#define SP_RUNTIME_UNWIND_WALK_H

#include "runtime/unwind/unwind_table.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Keeps the tables, and what the last process maps. */
struct unwind_walker;

/** `unread` keeps why a table is missing that could be made (sp_err_keep). */
struct unwind_walker *unwind_walker_create(struct sp_err **unread);
void unwind_walker_destroy(struct unwind_walker *walker);

/** A process has mapped other code. */
void unwind_walker_forget(struct unwind_walker *walker);

struct unwind_thread {
	pid_t pid; // of the process
	uint64_t pc, sp, bp;
	int (*read)(void *ctx, uint64_t addr, void *dst, size_t size); // its memory: 0 or negative
	void *ctx;
};

/** The program counter, then the return addresses, at most `max`. Returns how many; 0: the innermost function has no table, so that a
 *  walk by frame pointers alone knows as much. */
size_t unwind_walk(struct unwind_walker *walker, const struct unwind_thread *thread, uint64_t *ret, size_t max);

#endif
