// SPDX-License-Identifier: GPL-2.0-or-later
/** Reads and writes the memory of a process, whatever its protection is. */
#ifndef SP_RUNTIME_PTRACE_POKE_H
#define SP_RUNTIME_PTRACE_POKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Through /proc/PID/mem, or, where the kernel is told not to (proc_mem.force_override), through a thread that the caller traces and that has
 *  stopped: `stopped`, else `tid`, which is interrupted, and whose stop is left to be waited for. Takes no lock. `mem_fd` -1: it is not open. */
bool ptrace_poke(int mem_fd, pid_t stopped, pid_t tid, uint64_t address, const void *src, size_t size);
/** The same the other way; what is in one page. Without `mem_fd` through such a thread. */
bool ptrace_peek(int mem_fd, pid_t stopped, pid_t tid, uint64_t address, void *dst, size_t size);

#endif
