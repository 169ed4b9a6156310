// SPDX-License-Identifier: GPL-2.0-or-later
/** The machine's state and its memory, for vm.c and the calls. Not for others.
 *
 *  Addresses in the machine are not addresses of this process: bits 32.. hold VM_MEMORY plus the number of an area, the
 *  rest is the offset in it. They are not canonical on any architecture, so no pointer of a probed program equals one,
 *  and a check of an access is one subtraction and two comparisons. */
#ifndef SP_RUNTIME_VM_STATE_H
#define SP_RUNTIME_VM_STATE_H

#include "runtime/abi/uservm.h"
#include "runtime/machine/kernel_memory.h"
#include "runtime/vm/vm.h"

#include <sched.h>

#define VM_MEMORY 0x53500000u // in bits 32..63 of an address; the area's number is added
#define VM_MAP_HANDLE 0x5351000000000000u // in bits 32..63; the map's index is added
#define VM_MAX_ITERS 64 // open at one time
#define VM_SCRATCH_CHUNK 4096

enum vm_area {
	VM_AREA_DATA = SP_VM_AREA_DATA,
	VM_AREA_SLOTS = SP_VM_AREA_SLOTS,
	VM_AREA_UDATA = SP_VM_AREA_UDATA,
	VM_AREA_STACK,
	VM_AREA_CTX,
	VM_AREA_SCRATCH,
	VM_AREA_COUNT
};

struct vm_memory {
	char *base;
	uint64_t size; // 0: there is none
	bool writable;
};

struct vm_op; // a decoded instruction

struct vm {
	struct vm_env env;
	struct vm_op *ops; // one for each of bundle->user
	struct vm_memory areas[VM_AREA_COUNT];
	char *stack; // room for n_frames of frame_size; it grows
	struct frame *frames; // where each goes on
	uint32_t frame_size, n_frames;
	char *scratch;
	size_t scratch_room;
	struct store_iter *iters[VM_MAX_ITERS];
	struct { // what an iterator's outputs must have room for
		uint32_t key_size, value_size;
	} iter_sizes[VM_MAX_ITERS];
	struct sp_buf text; // of SP_VM_SPRINTF and SP_VM_STAT_TEXT, and the error record of SP_VM_EMIT
	uint64_t random;
	unsigned hz; // jiffies a second
	struct unwind_walker *walker; // of stacks; NULL: not asked for yet
	struct kernel_memory *kernel; // NULL: not asked for yet, or `kernel_is_closed`
	bool kernel_is_closed;
	struct sp_err *kernel_err; // why, until it is told
	bool follows_task; // embedded C got the address of the current task, and loads what that leads to
	uint64_t followed; // what was loaded
	char string[512]; // that is printed: bpf_snprintf takes no more

	// The handler that runs.
	unsigned prog, site;
	const struct vm_task *task;
	struct vm_task described; // the same, when more of it was asked for
	uint64_t *lock; // that it holds; NULL: none
	bool is_raised; // to a real-time thread, from
	int ordinary_policy;
	struct sched_param ordinary_param;
	struct sp_err *fault; // a broken bundle or our bug; ends the handler
};

static inline uint64_t vm_address(enum vm_area area, uint64_t offset)
{
	return ((uint64_t)(VM_MEMORY + area) << 32) + offset;
}

/** The memory of `size` bytes at an address of the machine; NULL when it is not (all) there. */
static inline void *vm_memory(const struct vm *vm, uint64_t addr, uint64_t size, bool write)
{
	uint64_t area = (addr >> 32) - VM_MEMORY, offset = (uint32_t)addr;

	if (area >= VM_AREA_COUNT || offset + size > vm->areas[area].size ||
	    size > vm->areas[area].size || (write && !vm->areas[area].writable))
		return NULL;
	return vm->areas[area].base + offset;
}

#endif
