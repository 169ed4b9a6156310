// SPDX-License-Identifier: GPL-2.0-or-later
/** Memory of a process whose pages are not there. Another program may serve it (userfaultfd(2), a file system of its own) and take any time
 *  for that, in which SIGKILL alone ends the wait of who asks: a thread of its own asks. What is written cannot be taken back, and waits for
 *  nobody. */
#ifndef SP_RUNTIME_PTRACE_LATE_H
#define SP_RUNTIME_PTRACE_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ptrace_late;

struct ptrace_late *ptrace_late_create(void);
/** A thread that still waits keeps what it needs. */
void ptrace_late_destroy(struct ptrace_late *late);
/** process_vm_readv(2) of what is in one page. -1 with ETIMEDOUT in errno: it has not come in time, or is still
 *  waited for since another call. */
ssize_t ptrace_late_read(struct ptrace_late *late, pid_t pid, uint64_t address, void *dst, size_t size);
/** Has anything not come in time? */
bool ptrace_late_has_failed(const struct ptrace_late *late);

#endif
