// SPDX-License-Identifier: GPL-2.0-or-later
/** An address space under the user engine: its breakpoints, and its memory as if they were not there. The threads of a
 *  process share one; so does the child of a vfork(2), until its exec. */
#ifndef SP_RUNTIME_PTRACE_SPACE_H
#define SP_RUNTIME_PTRACE_SPACE_H

#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/ptrace/ptrace_guard.h"

#include <sys/types.h>

struct ptrace_break {
	uint64_t address;
	uint8_t original; // the byte that is under it
	int entry; // in the guard's table; -1: none
	bool linker; // the dynamic linker comes by when it has mapped libraries
	bool seen; // found in the last look at the mappings
	SP_VEC(unsigned) sites; // whose probes are here: on the bundle's list
	unsigned n_returns; // calls that may come back to here
};

struct ptrace_byte {
	uint64_t address;
	uint8_t original;
};

/** A number in the program's memory that says how many listen to a mark. */
struct ptrace_counter {
	uint64_t address;
	unsigned site; // one that it was raised for
};

struct ptrace_space {
	unsigned refs;
	struct ptrace_guard *guard; // NULL: a process that dies with us
	pid_t pid; // of the process that has had it first
	struct sp_hash breaks; // by address
	SP_VEC(struct ptrace_counter) counters; // that were raised
	SP_VEC(struct ptrace_byte) refused; // of a copy: to be taken out of it, the guard is full
	uint64_t low, high; // no breakpoint is outside of these
};

/** With one reference. `guard`: NULL, or what is to know of the breakpoints. */
struct ptrace_space *ptrace_space_create(struct ptrace_guard *guard, pid_t pid);
/** For the child of a fork(2), whose memory has the same breakpoints. */
struct ptrace_space *ptrace_space_copy(const struct ptrace_space *from, pid_t pid);
void ptrace_space_put(struct ptrace_space *space);

/** NULL: there is none. */
struct ptrace_break *ptrace_space_find(const struct ptrace_space *space, uint64_t address);
/** The breakpoint at an address, made when there is none. `tid`: a stopped thread. NULL: it cannot be written there, or
 *  the guard's table is full. */
struct ptrace_break *ptrace_space_add(struct ptrace_space *space, pid_t tid, uint64_t address);
/** Takes the breakpoint out of the memory, and from the list. */
void ptrace_space_remove(struct ptrace_space *space, pid_t tid, struct ptrace_break *brk);
void ptrace_space_remove_all(struct ptrace_space *space, pid_t tid);

/** Raises the number at an address for a site, once. */
void ptrace_space_count(struct ptrace_space *space, pid_t tid, uint64_t address, unsigned site);

/** Lifts the breakpoint out of the memory; puts it back. */
bool ptrace_space_lift(pid_t tid, const struct ptrace_break *brk);
bool ptrace_space_lower(pid_t tid, const struct ptrace_break *brk);
/** Puts those back that memory has lost: a library that was unloaded and loaded again. Of a copy, it takes those out
 *  for which the guard's table has no entry. */
void ptrace_space_repair(struct ptrace_space *space, pid_t tid);

/** Without breakpoints. 0 or -EFAULT. */
int ptrace_space_read(const struct ptrace_space *space, pid_t tid, uint64_t address, void *dst, size_t size);
/** Reads as much as it can; returns the number of bytes. */
size_t ptrace_space_read_some(const struct ptrace_space *space, pid_t tid, uint64_t address, void *dst, size_t size);
/** Leaves breakpoints in place. 0 or -EFAULT. */
int ptrace_space_write(const struct ptrace_space *space, pid_t tid, uint64_t address, const void *src, size_t size);

/** Has the stopped thread run into a breakpoint whose SIGTRAP it has not been given yet? */
bool ptrace_has_pending_trap(pid_t tid);

#endif
