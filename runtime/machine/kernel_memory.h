// SPDX-License-Identifier: GPL-2.0-or-later
/** Reads of the kernel's memory by this process, for handlers that run in it.
 *
 *  The problem. begin, end, timers and the like read what the kernel's own handlers read: variables, members of structs, lists.
 *  No system call gives a process the kernel's memory; /proc/kcore has a part of it, and is closed where BPF is open.
 *
 *  The idea. A raw tracepoint program that is attached to nothing is run by BPF_PROG_TEST_RUN. It gets an address and a size,
 *  and copies the bytes into an array that is mapped here. A read is one system call, of about a microsecond.
 *
 *  The limits. Linux 5.10, CAP_BPF and CAP_PERFMON, and no lockdown that closes the kernel's memory to BPF. A list that is walked
 *  changes meanwhile, as it does under a handler in the kernel: what was freed reads as anything, or as a fault. */
#ifndef SP_RUNTIME_KERNEL_MEMORY_H
#define SP_RUNTIME_KERNEL_MEMORY_H

#include "runtime/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct kernel_memory;

/** SP_ERR_PRIVILEGE says what forbids it. */
struct sp_err *kernel_memory_open(struct kernel_memory **ret);
void kernel_memory_close(struct kernel_memory *memory);
/** 0 or -EFAULT: not all of it is there; `dst` then has anything. */
int kernel_memory_read(struct kernel_memory *memory, uint64_t addr, void *dst, size_t size);
/** The address of the task_struct of the thread that asks. */
uint64_t kernel_memory_current(struct kernel_memory *memory);

#endif
