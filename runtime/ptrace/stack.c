// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/ptrace/stack.h"

#include <stddef.h>
#include <sys/user.h>

#if defined(__x86_64__)

// What a function with a frame pointer keeps: the caller's frame pointer, and the return address.
struct frame {
	uint64_t next, ret;
};

#define CS_32 0x23 // __USER32_CS: the words of the frame have 4 bytes

static bool read_frame(const struct vm_task *task, uint64_t at, bool is_32, struct frame *ret)
{
	uint32_t words[2];

	if (!is_32)
		return task->read(task->ctx, at, ret, sizeof(*ret)) >= 0;
	if (task->read(task->ctx, at, words, sizeof(words)) < 0)
		return false;
	*ret = (struct frame){ words[0], words[1] };
	return true;
}

static uint64_t reg(const void *regs, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)regs + offset, sizeof(value));
	return value;
}

static size_t by_pointers(const struct vm_task *task, const void *regs, bool is_32, uint64_t *ret, size_t max)
{
	uint64_t at = reg(regs, offsetof(struct user_regs_struct, rbp));
	size_t n = 0;

	ret[n++] = reg(regs, offsetof(struct user_regs_struct, rip));
	while (n < max) {
		struct frame frame;

		if (!read_frame(task, at, is_32, &frame))
			break;
		ret[n++] = frame.ret;
		at = frame.next;
	}
	return n;
}

size_t stack_walk(struct unwind_walker *walker, const struct vm_task *task, const void *regs, size_t regs_size, uint64_t *ret,
		  size_t max)
{
	struct unwind_thread thread = { .pid = (pid_t)task->pid, .read = task->read, .ctx = task->ctx };
	bool is_32;
	size_t n;

	// struct pt_regs has the order of user_regs_struct.
	if (regs_size < offsetof(struct user_regs_struct, fs_base) || !max)
		return 0;
	is_32 = reg(regs, offsetof(struct user_regs_struct, cs)) == CS_32;
	thread.pc = reg(regs, offsetof(struct user_regs_struct, rip));
	thread.sp = reg(regs, offsetof(struct user_regs_struct, rsp));
	thread.bp = reg(regs, offsetof(struct user_regs_struct, rbp));
	n = is_32 ? 0 : unwind_walk(walker, &thread, ret, max);
	return n ? n : by_pointers(task, regs, is_32, ret, max);
}

#else

size_t stack_walk(struct unwind_walker *walker, const struct vm_task *task, const void *regs, size_t regs_size, uint64_t *ret,
		  size_t max)
{
	(void)walker;
	(void)task;
	(void)regs;
	(void)regs_size;
	(void)ret;
	(void)max;
	return 0;
}

#endif
