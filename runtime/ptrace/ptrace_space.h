// SPDX-License-Identifier: GPL-2.0-or-later
/** An address space under the user engine: its breakpoints, and its memory as if they were not there. The threads of a
 *  process share one; so does the child of a vfork(2), until its exec. Nothing here needs a stopped thread. */
#ifndef SP_RUNTIME_PTRACE_SPACE_H
#define SP_RUNTIME_PTRACE_SPACE_H

#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/ptrace/ptrace_guard.h"
#include "runtime/ptrace/ptrace_insn.h"

#include <sys/types.h>

struct ptrace_break {
	uint64_t address;
	uint8_t original; // the byte that is under it
	uint8_t code[X86_INSN_MAX]; // from there on, as it was read last, without breakpoints
	int entry; // in the guard's table; -1: none
	bool linker; // the dynamic linker comes by when it has mapped libraries
	bool is_start; // the program's, which the linker goes to when it is done
	bool sigaction; // the program sets what a signal does (ptrace_trap.c)
	bool is_call; // of a function that makes tail calls (ptrace_frames.c)
	bool was_hit;
	bool seen; // found in the last look at the mappings
	SP_VEC(unsigned) sites; // whose probes are here: on the bundle's list
	unsigned n_returns; // calls that may come back to here
	unsigned n_idle; // hits since a call came back to here
	struct ptrace_slot slot; // what is run instead of the instruction
	bool is_placed; // the slot is of the instruction that is there now
	uint64_t line; // of the handler's table, from 1 on; 0: none
};

/** Memory of the program that holds slots: mapped for them, or unused at the end of a mapping of code. */
struct ptrace_area {
	uint64_t start, end, next; // slots are added at `next`
	uint64_t from; // unused memory: where the mapping begins; 0: it was mapped
	bool has_handler; // for breakpoints that nobody traces: in front of the slots, with a table
	uint64_t n_lines; // of that table
};

/** A call of a function with a return probe that has not come back. */
struct ptrace_frame {
	uint64_t entry, sp; // the function's first instruction, and the stack pointer there
	uint64_t ret;
	unsigned site;
	pid_t tid; // who has called
};

/** Calls with the same stack pointer: return probes of one place, and tail calls; the innermost is the last. */
struct ptrace_calls {
	SP_VEC(struct ptrace_frame) frames;
};

/** A number in the program's memory that says how many listen to a mark. */
struct ptrace_counter {
	uint64_t address;
	unsigned site; // one that it was raised for
	int entry; // in the guard's table; -1: none
};

struct ptrace_space {
	unsigned refs;
	struct ptrace_guard *guard; // NULL: a process that dies with us
	pid_t pid; // of the process that has had it first, or a thread of it
	pid_t stopped; // the thread that is being served; 0: none
	int mem_fd, pagemap_fd; // its memory, and which of that is there; -1: it could not be opened, or too much is open
	struct ptrace_late *late; // what is not there
	struct sp_hash breaks; // by address
	struct sp_hash past; // those that were taken out: a child may still have them, and a thread be in their slots
	SP_VEC(struct ptrace_counter) counters; // that were raised
	SP_VEC(struct ptrace_area) areas;
	unsigned bits; // of an address: 64 or 32
	uint64_t left_code; // of ptrace_call(), that threads which were frozen go on with: the lowest address; 0: none
	bool had_uprobes; // the kernel had run instructions for those of another tracer in it when it was met
	bool is_cleared; // no breakpoint is to be in it any more
	bool no_calls; // system calls cannot be made in it: only unused memory holds slots
	struct sp_hash calls; // struct ptrace_calls, by stack pointer
	size_t n_frames, swept; // calls that have not come back; how many there were after the last look for dead ones
	uint64_t low, high; // no breakpoint is outside of these
};

/** With one reference. `guard`: NULL, or what is to know of the breakpoints. */
struct ptrace_space *ptrace_space_create(struct ptrace_guard *guard, pid_t pid);
/** For the child of a fork(2), whose memory has the same breakpoints, or had when it was made: ptrace_space_repair
 *  is to be called before the child runs. */
struct ptrace_space *ptrace_space_copy(const struct ptrace_space *from, pid_t pid);
void ptrace_space_put(struct ptrace_space *space);

/** NULL: there is none. */
struct ptrace_break *ptrace_space_find(const struct ptrace_space *space, uint64_t address);

/** Is one in the memory there, whoever has set it? */
bool ptrace_space_has_break(const struct ptrace_space *space, uint64_t address);

enum ptrace_add_result {
	PTRACE_ADDED, // or it was there already
	PTRACE_ADD_GONE, // nothing is mapped there, or not in the memory that the space is of: the process has called execve(2)
	PTRACE_ADD_FAILED,
	PTRACE_ADD_FULL, // the guard's table is
	PTRACE_ADD_FOREIGN // somebody else has a breakpoint there
};

/** The breakpoint at an address, made when there is none. */
enum ptrace_add_result ptrace_space_add(struct ptrace_space *space, uint64_t address, struct ptrace_break **ret);
/** Takes the breakpoint out of the memory, if it is still there, and from the list. */
void ptrace_space_remove(struct ptrace_space *space, struct ptrace_break *brk);
/** All of them. */
void ptrace_space_clear(struct ptrace_space *space);
/** How many are not in the memory any more: another tracer has taken them out. */
unsigned ptrace_space_taken(const struct ptrace_space *space);
/** Has the kernel run instructions for uprobes since? Those at our places have taken the events, and cannot be told from breakpoints of ours. It
 *  does without for some instructions (push), unless returns are probed. */
bool ptrace_space_has_uprobes(const struct ptrace_space *space);

/** Raises the number at an address for a site, once. */
void ptrace_space_count(struct ptrace_space *space, uint64_t address, unsigned site);
/** Forgets those whose memory is gone, with a library that was unloaded: other data may come there. */
void ptrace_space_forget_counters(struct ptrace_space *space);
/** Lowers all of them again. */
void ptrace_space_uncount(struct ptrace_space *space);

/** Puts breakpoints back that memory has lost: a library that was unloaded and loaded again. */
void ptrace_space_put_back(struct ptrace_space *space);
/** The same for a child; takes those out that it has got, but that are no longer known. */
void ptrace_space_repair(struct ptrace_space *space);
/** Is a breakpoint that was met here one of those that are not where they were? Then the program has moved its code (mremap(2)). */
bool ptrace_space_is_moved(const struct ptrace_space *space, uint64_t address);
/** Was there a breakpoint here? Then a thread may just have met it. */
bool ptrace_space_was_at(const struct ptrace_space *space, uint64_t address);
/** Is a breakpoint that was met here one that the program has copied with its code, as the bytes behind tell? The copy has the original byte then. */
bool ptrace_space_mend_copy(const struct ptrace_space *space, uint64_t address);
/** Can it not be run? What is on the stack may be no address to return to. False, too, when what is mapped cannot be read. */
bool ptrace_space_is_data(const struct ptrace_space *space, uint64_t address);

/** Without breakpoints. 0 or -EFAULT, also where a thread of the program would have to serve the fault. */
int ptrace_space_read(const struct ptrace_space *space, uint64_t address, void *dst, size_t size);
/** Reads as much as it can; returns the number of bytes. */
size_t ptrace_space_read_some(const struct ptrace_space *space, uint64_t address, void *dst, size_t size);
/** Leaves breakpoints in place. 0 or -EFAULT. */
int ptrace_space_write(const struct ptrace_space *space, uint64_t address, const void *src, size_t size);
/** What is in one page, with breakpoints, whatever the protection is. */
bool ptrace_space_peek(const struct ptrace_space *space, uint64_t address, void *dst, size_t size);
/** Writes whatever the protection is. */
bool ptrace_space_poke(const struct ptrace_space *space, uint64_t address, const void *src, size_t size);

// ---- ptrace_frames.c: calls that have not come back ------------------------------------------------------------------

/** A call begins: forgets what cannot come back any more. To be called once, before the frames of that call. */
void ptrace_frames_begin(struct ptrace_space *space, const struct ptrace_frame *call);
void ptrace_frames_add(struct ptrace_space *space, const struct ptrace_frame *frame, struct ptrace_break *ret);
/** The innermost call that comes back to `address` with that stack pointer, which is forgotten. False: there is none. */
bool ptrace_frames_take(struct ptrace_space *space, uint64_t address, uint64_t sp, struct ptrace_frame *ret);
/** A call with that stack pointer is about to be made: others cannot come back any more. */
void ptrace_frames_drop(struct ptrace_space *space, uint64_t sp);
/** A thread has ended. */
void ptrace_frames_forget(struct ptrace_space *space, pid_t tid);
void ptrace_frames_copy(struct ptrace_space *to, const struct ptrace_space *from);
void ptrace_frames_deinit(struct ptrace_space *space);

// ---- ptrace_area.c: where slots are ----------------------------------------------------------------------------------

/** Gives the breakpoint a slot. `tid`: a thread that stands at a breakpoint, in which system calls may be made; 0:
 *  none. */
bool ptrace_area_place(struct ptrace_space *space, pid_t tid, struct ptrace_break *brk);
/** A thread stands at the first breakpoint of its space that is hit: memory is mapped. False: there is some, or cannot be. */
bool ptrace_area_begin(struct ptrace_space *space, pid_t tid, uint64_t near);
/** Then: slots for all breakpoints. */
void ptrace_area_fill(struct ptrace_space *space, pid_t tid);
/** To be called before a breakpoint is written: tells the handler. */
void ptrace_area_enter(struct ptrace_space *space, struct ptrace_break *brk);
/** struct kernel_sigaction. */
struct ptrace_action {
	uint64_t handler, flags, restorer, mask;
};
#define PTRACE_SA_RESTORER 0x04000000

/** Has a thread that stands at a breakpoint set its process's action for SIGTRAP; NULL: to the handler for breakpoints that
 *  nobody traces. False: there is no area for that. */
bool ptrace_area_set_action(struct ptrace_space *space, pid_t tid, const struct ptrace_action *action);
/** Is it that handler, which an earlier session has left? */
bool ptrace_area_is_handler(const struct ptrace_space *space, uint64_t address);
/** A thread is stopped by the SIGTRAP of a breakpoint, which our handler is to take for: go on at si_addr. */
#define PTRACE_AREA_MOVED 0x7461
/** Forgets unused memory of files that are mapped no more, and the slots there. */
void ptrace_area_forget(struct ptrace_space *space);
/** A child has the memory of the moment when it was made, which may lack areas and slots that are known here. */
void ptrace_area_repair(struct ptrace_space *space);
/** The breakpoint whose slot `pc` is in; NULL. */
struct ptrace_break *ptrace_area_find(const struct ptrace_space *space, uint64_t pc);

#endif
