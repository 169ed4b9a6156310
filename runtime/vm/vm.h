// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of the VM: handlers that run in this process.
 *
 *  The problem. begin, end, error and timer handlers need what the kernel does not give BPF programs (sorted foreach,
 *  printf into strings), and must mean exactly what the same code means in the kernel. So must process() handlers where
 *  BPF cannot be had.
 *
 *  The idea. The compiler makes BPF instructions for them, too (abi/uservm.h), and vm.c interprets these: decoded once
 *  into dense operations, then one switch. Ids of the kernel's helpers mean here what they mean there; ids of our own
 *  are arrays (vm_map.c) and text (vm_text.c). The arrays are in store.c: in this process (table.c), or in the kernel's
 *  maps when handlers there use them, too (adder.c, order.c keep such updates atomic).
 *
 *  The invariant. vm_verify.c has checked the code before it runs, and every memory access is checked against the
 *  machine's areas: no bundle makes the interpreter leave them. The number of steps is bounded.
 *
 *  Memory is of three kinds: the machine's own areas; that of the task, through struct vm_task; and the kernel's, through
 *  machine/kernel_memory.h, which is opened when a handler first reads there.
 *
 *  The limits. One handler runs at a time. Memory of a probed program is read only while its thread is stopped, that of the
 *  target of -x and -c by begin, timers and the like while it runs. */
#ifndef SP_RUNTIME_VM_H
#define SP_RUNTIME_VM_H

#include "runtime/load/bundle.h"
#include "runtime/vm/store.h"
#include "runtime/print/transport.h"

struct vm;

/** Who a handler runs for: this process for begin, end and timers; the stopped thread under the user engine. */
struct vm_task {
	uint32_t pid, tid, ppid, uid, gid, euid, egid, cpu; // pid: the process (thread group)
	uint64_t function; // that returns; 0: none
	char comm[16];
	/** Reads memory of that task: 0 or -EFAULT. NULL: every read fails. */
	int (*read)(void *ctx, uint64_t addr, void *dst, size_t size);
	int (*write)(void *ctx, uint64_t addr, const void *src, size_t size);
	/** Fills in what is not known yet: all numbers but pid and tid, and the name. NULL: all is known. */
	void (*describe)(void *ctx, struct vm_task *task);
	void *ctx;
	const struct sp_symbols *stacks[2]; // of a sample: the kernel's and the program's, each with room for SP_SYMBOLS_PLACES addresses; NULL
	/** The rest of a handler: who hit the probe and when. NULL: a handler that runs while its task waits, or has none. */
	const struct sp_deferred *deferred;
	bool runs_here; // the machine's thread is the kernel's current task, also where a handler is told of another process (procfs)
	bool gets_registers; // the context is registers that the task gets back: a handler may change them
};

struct vm_env {
	const struct bundle *bundle;
	struct store *store;
	struct transport *transport;
	void *data; // spile_data: bundle->head->data_size bytes, maybe shared with the kernel
	const uint64_t *slots; // bundle->head->n_slots
	uint64_t max_steps; // instructions a handler may run before it is stopped with a run-time error; 0: any number
	bool is_shared; // `data`, with handlers in the kernel
};

struct vm *vm_create(const struct vm_env *env);
void vm_destroy(struct vm *vm);
/** A process has mapped other code, which stacks are walked through. */
void vm_forget_code(struct vm *vm);

/** Runs a handler. `site` counts from the program's first site. `ctx` is what r1 points to (`ctx_size` bytes, which
 *  are changed only if the task gets registers; NULL for SP_PROG_USER). Run-time errors of the script go to the transport as records; an error here is a
 *  broken bundle or our bug. */
struct sp_err *vm_run(struct vm *vm, unsigned prog, unsigned site, const struct vm_task *task, const void *ctx,
		      size_t ctx_size);
/** Runs the rest of the handler `prog` for its record, which is the context, and what `task` describes. */
struct sp_err *vm_run_rest(struct vm *vm, unsigned prog, unsigned site, const struct vm_task *task, const void *record,
			   size_t size);
/** Opens what handlers may need when nothing can be opened any more: the kernel's memory, if there is code that reads it. */
void vm_prepare(struct vm *vm);
/** Describes this process. */
void vm_task_self(struct vm_task *task);

#endif
