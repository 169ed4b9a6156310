// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/vm/vm_call.h"

#include "runtime/ptrace/stack.h"
#include "runtime/vm/vm_arg.h"
#include "runtime/vm/vm_lock.h"
#include "runtime/vm/vm_map.h"
#include "runtime/vm/vm_text.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A task's string is read in pieces of so many bytes, none of which crosses the end of a page.
#define STRING_CHUNK 256
#define PAGE 4096
#define STACK_MAX 127 // addresses, as in the kernel
#define RECORDED_STACK (sizeof(struct sp_symbols) + SP_SYMBOLS_PLACES * sizeof(uint64_t))

// What the kernel's count of jiffies starts from.
#define INITIAL_JIFFIES(hz) (((uint64_t)1 << 32) - 300u * (uint64_t)(hz))

// ---- time and the task ----------------------------------------------------------------------------------------------

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t jiffies(const struct vm *vm)
{
	uint64_t ns_per_tick = 1000000000u / vm->hz;

	return INITIAL_JIFFIES(vm->hz) + clock_ns(CLOCK_MONOTONIC) / ns_per_tick;
}

// xorshift64: as good as the kernel's for scripts.
static uint32_t next_random(struct vm *vm)
{
	vm->random ^= vm->random << 13;
	vm->random ^= vm->random >> 7;
	vm->random ^= vm->random << 17;
	return (uint32_t)(vm->random >> 32);
}

// Most handlers of the user engine ask for none of that.
static const struct vm_task *described(struct vm *vm)
{
	if (vm->task->describe) {
		vm->described = *vm->task;
		vm->described.describe(vm->described.ctx, &vm->described);
		vm->described.describe = NULL;
		vm->task = &vm->described;
	}
	return vm->task;
}

static bool task_id(struct vm *vm, uint64_t *r)
{
	const struct vm_task *task = described(vm);
	const uint32_t ids[] = { task->ppid, task->euid, task->egid };

	if (r[1] >= SP_ARRAY_SIZE(ids))
		return vm_arg_fault(vm, "an unknown number of the task");
	r[0] = ids[r[1]];
	return true;
}

// Sizes of helpers are 32 bits wide, and signed where they are lengths.
static bool current_comm(struct vm *vm, uint64_t *r)
{
	size_t size = (uint32_t)r[2];
	const struct vm_task *task;
	char *dst;

	if (!vm_arg_memory(vm, r[1], size, true, &dst))
		return false;
	task = described(vm);
	vm_arg_put_text(dst, size, task->comm, strnlen(task->comm, sizeof(task->comm)));
	r[0] = 0;
	return true;
}

// ---- reads of the task's memory -------------------------------------------------------------------------------------

enum source { FROM_TASK, FROM_KERNEL, FROM_ANY };

static void open_kernel(struct vm *vm)
{
	if (vm->kernel || vm->kernel_is_closed)
		return;
	vm->kernel_err = kernel_memory_open(&vm->kernel);
	vm->kernel_is_closed = vm->kernel_err;
}

// NULL, which is told once, when the kernel does not let us read its memory.
static struct kernel_memory *kernel(struct vm *vm)
{
	open_kernel(vm);
	if (vm->kernel_err)
		sp_log(vm->env.transport->log, SP_LOG_WARN, "the kernel's memory cannot be read: %s", vm->kernel_err->message);
	sp_err_free(vm->kernel_err);
	vm->kernel_err = NULL;
	return vm->kernel;
}

void vm_prepare(struct vm *vm)
{
	const struct bundle *b = vm->env.bundle;

	for (uint32_t i = 0; i < b->n_user; i++) {
		if (b->user[i].code != (BPF_JMP | BPF_CALL))
			continue;
		switch (b->user[i].imm) {
		case BPF_FUNC_probe_read: case BPF_FUNC_probe_read_str: case BPF_FUNC_probe_read_kernel:
		case BPF_FUNC_probe_read_kernel_str: case BPF_FUNC_get_current_task: case BPF_FUNC_get_current_task_btf:
			open_kernel(vm);
			return;
		}
	}
}

// All addresses of the kernel have their highest bit, and none of a program's has.
static bool is_of_kernel(uint64_t addr)
{
	return addr >> 63;
}

static int read_from(struct vm *vm, enum source source, uint64_t addr, void *dst, size_t size)
{
	const void *own = source == FROM_TASK ? NULL : vm_memory(vm, addr, size, false);

	if (own) {
		memmove(dst, own, size);
		return 0;
	}
	if (source != FROM_TASK && is_of_kernel(addr))
		return kernel(vm) ? kernel_memory_read(vm->kernel, addr, dst, size) : -EFAULT;
	if (source == FROM_KERNEL || is_of_kernel(addr) || !vm->task->read)
		return -EFAULT;
	return vm->task->read(vm->task->ctx, addr, dst, size) < 0 ? -EFAULT : 0;
}

// The thread that runs the machine is the current one of begin, timers and the like; under the user engine it is not.
static uint64_t current_task(struct vm *vm)
{
	if (vm->task->deferred)
		return vm->task->deferred->task;
	if (!vm->task->runs_here || !kernel(vm))
		return 0;
	return kernel_memory_current(vm->kernel);
}

// `current` of embedded C, which follows that pointer by loads of its own.
static bool typed_task(struct vm *vm, uint64_t *r)
{
	r[0] = current_task(vm);
	vm->follows_task = true;
	if (!r[0])
		vm->fault = sp_err_new(SP_ERR_PRIVILEGE, "embedded C asks for `current`, which takes reads of the kernel's memory");
	return r[0];
}

const void *vm_call_follow(struct vm *vm, uint64_t addr, size_t size)
{
	if (!vm->follows_task || (!is_of_kernel(addr) && addr >= PAGE))
		return NULL;
	if (read_from(vm, FROM_KERNEL, addr, &vm->followed, size) < 0)
		vm->followed = 0;
	return &vm->followed;
}

static bool probe_read(struct vm *vm, enum source source, uint64_t *r)
{
	size_t size = (uint32_t)r[2];
	char *dst;
	int ret;

	if (!vm_arg_memory(vm, r[1], size, true, &dst))
		return false;
	ret = size ? read_from(vm, source, r[3], dst, size) : 0;
	if (ret < 0)
		memset(dst, 0, size);
	r[0] = (uint64_t)(int64_t)ret;
	return true;
}

// The number of bytes with the NUL, as the kernel's helper has it; a string that is too long is cut.
static int64_t read_string(struct vm *vm, enum source source, uint64_t addr, char *dst, size_t size)
{
	size_t done = 0;

	while (done < size) {
		uint64_t at = addr + done;
		size_t chunk = SP_MIN(size - done, SP_MIN((uint64_t)STRING_CHUNK, PAGE - at % PAGE));
		size_t own = vm_arg_room(vm, at);
		char *end;

		if (own)
			chunk = SP_MIN(chunk, own);
		if (read_from(vm, source, at, dst + done, chunk) < 0) {
			memset(dst, 0, size);
			return -EFAULT;
		}
		end = memchr(dst + done, '\0', chunk);
		if (end) {
			// Keys are compared with all their bytes, so the bytes behind the string are cleared.
			memset(end, 0, (size_t)(dst + done + chunk - end));
			return end - dst + 1;
		}
		done += chunk;
	}
	if (size)
		dst[size - 1] = '\0';
	return (int64_t)size;
}

// A string of the machine's own memory, the kernel's or the task's, until the next one; "" where there is none, as bpf_snprintf has it.
static const char *string_at(void *ctx, uint64_t addr)
{
	struct vm *vm = ctx;

	read_string(vm, FROM_ANY, addr, vm->string, sizeof(vm->string));
	return vm->string;
}

static bool probe_read_str(struct vm *vm, enum source source, uint64_t *r)
{
	size_t size = (uint32_t)r[2];
	char *dst;

	if (!vm_arg_memory(vm, r[1], size, true, &dst))
		return false;
	r[0] = (uint64_t)read_string(vm, source, r[3], dst, size);
	return true;
}

static bool probe_write(struct vm *vm, uint64_t *r)
{
	size_t size = (uint32_t)r[3];
	const char *src;

	if (!vm_arg_memory(vm, r[2], size, false, &src))
		return false;
	r[0] = 0;
	if (size && (!vm->task->write || vm->task->write(vm->task->ctx, r[1], src, size) < 0))
		r[0] = (uint64_t)-EFAULT;
	return true;
}

// The rest of a handler gives the place of the stack in its record instead of the context. Else the user stack of the stopped thread, walked as the kernel does. Kernel stacks, and stacks of handlers without
// registers, are empty.
static bool get_stack(struct vm *vm, uint64_t *r)
{
	const struct vm_memory *regs = &vm->areas[VM_AREA_CTX];
	struct symbols *symbols = vm->env.transport->symbols;
	uint64_t addresses[STACK_MAX];
	const void *recorded;
	size_t size = (uint32_t)r[3], skip = r[4] & BPF_F_SKIP_FIELD_MASK, n = 0;
	char *dst;

	if (!vm_arg_memory(vm, r[2], size, true, &dst))
		return false;
	recorded = vm->task->stacks[r[4] & BPF_F_USER_STACK ? 1 : 0];
	if (recorded || vm->task->deferred) { // the record has it
		if (!recorded && !vm_arg_memory(vm, r[1], RECORDED_STACK, false, &recorded))
			return false;
		n = symbols_addresses(symbols, recorded, RECORDED_STACK, addresses);
	} else if (r[4] & BPF_F_USER_STACK && regs->base && vm->task->read) {
		if (!vm->walker)
			vm->walker = unwind_walker_create(symbols ? symbols_unread(symbols) : NULL);
		n = stack_walk(vm->walker, vm->task, regs->base, regs->size, addresses, SP_ARRAY_SIZE(addresses));
		if (symbols) // names may be asked for when it has ended
			symbols_see(symbols, (pid_t)vm->task->pid);
	}
	if (n < skip) {
		r[0] = (uint64_t)-EFAULT;
		return true;
	}
	size = SP_MIN(size / 8, n - skip) * 8;
	memcpy(dst, addresses + skip, size);
	r[0] = size;
	return true;
}

// ---- dispatch -------------------------------------------------------------------------------------------------------

// Of the task whose handler runs: its processor, its process and thread, its user and group.
static uint64_t identity(struct vm *vm, int32_t id)
{
	const struct vm_task *task = vm->task, *shown = described(vm);

	if (id == BPF_FUNC_get_current_pid_tgid)
		return (uint64_t)task->pid << 32 | task->tid;
	return id == BPF_FUNC_get_smp_processor_id ? (uint64_t)shown->cpu : (uint64_t)shown->gid << 32 | shown->uid;
}

static bool kernel_helper(struct vm *vm, int32_t id, uint64_t *r)
{
	const struct vm_task *task = vm->task;

	switch (id) {
	case BPF_FUNC_probe_read:
		return probe_read(vm, FROM_ANY, r);
	case BPF_FUNC_probe_read_user:
		return probe_read(vm, FROM_TASK, r);
	case BPF_FUNC_probe_read_kernel:
		return probe_read(vm, FROM_KERNEL, r);
	case BPF_FUNC_probe_read_str:
		return probe_read_str(vm, FROM_ANY, r);
	case BPF_FUNC_probe_read_user_str:
		return probe_read_str(vm, FROM_TASK, r);
	case BPF_FUNC_probe_read_kernel_str:
		return probe_read_str(vm, FROM_KERNEL, r);
	case BPF_FUNC_probe_write_user:
		return probe_write(vm, r);
	case BPF_FUNC_get_current_comm:
		return current_comm(vm, r);
	case BPF_FUNC_ktime_get_ns:
		r[0] = task->deferred ? task->deferred->time : clock_ns(CLOCK_MONOTONIC);
		return true;
	case BPF_FUNC_ktime_get_coarse_ns:
		r[0] = clock_ns(CLOCK_MONOTONIC_COARSE);
		return true;
	case BPF_FUNC_ktime_get_boot_ns:
		r[0] = clock_ns(CLOCK_BOOTTIME);
		return true;
	case BPF_FUNC_get_current_task:
		r[0] = current_task(vm);
		return true;
	case BPF_FUNC_get_current_task_btf:
		return typed_task(vm, r);
	case BPF_FUNC_jiffies64:
		r[0] = jiffies(vm);
		return true;
	case BPF_FUNC_send_signal_thread:
		r[0] = syscall(SYS_tgkill, task->pid, task->tid, (int)r[1]) ? (uint64_t)-errno : 0;
		return true;
	case BPF_FUNC_get_stack:
		return get_stack(vm, r);
	case BPF_FUNC_get_prandom_u32:
		r[0] = next_random(vm);
		return true;
	case BPF_FUNC_get_smp_processor_id: case BPF_FUNC_get_current_pid_tgid: case BPF_FUNC_get_current_uid_gid:
		r[0] = identity(vm, id);
		return true;
	case BPF_FUNC_snprintf:
		return vm_text_snprintf(vm, r, string_at);
	case BPF_FUNC_get_func_ip:
		r[0] = task->function;
		return true;
	case BPF_FUNC_get_attach_cookie:
		r[0] = vm->site;
		return true;
	}
	return vm_arg_fault(vm, "an unknown number");
}

bool vm_call(struct vm *vm, int32_t id, uint64_t *r)
{
	if (id < SP_VM_CALL_FIRST)
		return kernel_helper(vm, id, r);
	switch ((enum sp_vm_call)id) {
	case SP_VM_MAP_GET:
		return vm_map_get(vm, r);
	case SP_VM_MAP_SET:
		return vm_map_set(vm, r);
	case SP_VM_MAP_ADD:
		return vm_map_add(vm, r);
	case SP_VM_MAP_DELETE:
		return vm_map_delete(vm, r);
	case SP_VM_MAP_CLEAR:
		return vm_map_clear(vm, r);
	case SP_VM_ITER_OPEN:
		return vm_map_iter_open(vm, r);
	case SP_VM_ITER_NEXT:
		return vm_map_iter_next(vm, r);
	case SP_VM_ITER_CLOSE:
		return vm_map_iter_close(vm, r);
	case SP_VM_EMIT:
		return vm_text_emit(vm, r);
	case SP_VM_SPRINTF:
		return vm_text_format(vm, r);
	case SP_VM_SCRATCH:
		return vm_text_scratch(vm, r);
	case SP_VM_SITE_TEXT:
		return vm_text_site(vm, r);
	case SP_VM_STRCMP:
	case SP_VM_STRCPY:
	case SP_VM_STRCAT:
	case SP_VM_STRLEN:
	case SP_VM_STACK_OWNER:
		return vm_text_string(vm, id, r);
	case SP_VM_TASK_ID:
		return task_id(vm, r);
	case SP_VM_MAP_HAS:
		return vm_map_has(vm, r);
	case SP_VM_STAT_ADD:
		return vm_map_stat_add(vm, r);
	case SP_VM_STAT_GET:
		return vm_map_stat_get(vm, r);
	case SP_VM_STAT_BUCKET:
		return vm_map_stat_bucket(vm, r);
	case SP_VM_STAT_PRINT:
		return vm_map_stat_print(vm, r);
	case SP_VM_STAT_TEXT:
		return vm_map_stat_text(vm, r);
	case SP_VM_SYMBOLS:
		return vm_text_symbols(vm, r);
	case SP_VM_LOCK:
		return vm_lock_take(vm, r);
	case SP_VM_UNLOCK:
		return vm_lock_release(vm, r);
	case SP_VM_CALL_END:
		break;
	}
	return vm_arg_fault(vm, "an unknown number");
}

void vm_call_reset(struct vm *vm)
{
	vm_lock_reset(vm);
	for (unsigned n = 0; n < VM_MAX_ITERS; n++) {
		store_iter_close(vm->iters[n]);
		vm->iters[n] = NULL;
	}
	vm->areas[VM_AREA_SCRATCH].size = 0;
}
