// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem, waitid

#include "runtime/ptrace/ptrace_call.h"

#include "runtime/base/util.h"
#include "runtime/ptrace/ptrace_cpu.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

static bool find_vdso(void *ctx, const struct ptrace_range *range)
{
	struct ptrace_range *ret = ctx;

	if (!sp_streq(range->name, "[vdso]"))
		return true;
	*ret = *range;
	return false;
}

// The kernel's own code in each process has an instruction for system calls: syscall, in 32-bit programs int $0x80.
static uint64_t find_instruction(pid_t tid, unsigned word)
{
	static const uint8_t insns[][2] = { { 0x0f, 0x05 }, { 0xcd, 0x80 } };
	const uint8_t *insn = insns[word == 4];
	struct ptrace_range vdso = { .start = 0 };
	struct iovec local, remote;
	uint8_t *bytes, *at;
	uint64_t address = 0;
	ssize_t size;

	ptrace_proc_each_range(tid, find_vdso, &vdso);
	if (!vdso.start)
		return 0;
	bytes = sp_malloc(vdso.end - vdso.start);
	local = (struct iovec){ bytes, vdso.end - vdso.start };
	remote = (struct iovec){ (void *)(uintptr_t)vdso.start, vdso.end - vdso.start };
	size = process_vm_readv(tid, &local, 1, &remote, 1, 0);
	at = size > 0 ? memmem(bytes, (size_t)size, insn, sizeof(insns[0])) : NULL;
	if (at)
		address = vdso.start + (uint64_t)(at - bytes);
	free(bytes);
	return address;
}

// Until it stops at the begin or the end of the system call. Its end is left to be waited for.
static bool go_on(pid_t tid)
{
	siginfo_t info;

	do {
		if (ptrace(PTRACE_SYSCALL, tid, 0, 0))
			return false;
		while (waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL) && errno == EINTR)
			;
		if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
			return false;
	} while (info.si_status != (SIGTRAP | 0x80));
	return true;
}

// The number of a system call in 32-bit programs; 0: it is none of those that are made.
static long number_32(long number)
{
	return number == SYS_mmap ? 192 : 0; // mmap2, whose offset is in pages
}

bool ptrace_call(pid_t tid, long number, const uint64_t args[6], uint64_t *ret)
{
	struct ptrace_cpu saved, cpu;
	uint64_t mask, all = ~UINT64_C(0), insn;
	bool done = false;

	if (!ptrace_cpu_get(tid, &saved))
		return false;
	if (ptrace_cpu_word(&saved) == 4 && !(number = number_32(number)))
		return false;
	insn = find_instruction(tid, ptrace_cpu_word(&saved));
	if (!insn || ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask))
		return false;
	cpu = saved;
	ptrace_cpu_set_call(&cpu, number, args);
	ptrace_cpu_set_pc(&cpu, insn);
	// No signal may come in between.
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(all), &all);
	if (ptrace_cpu_set(tid, &cpu))
		done = go_on(tid) && go_on(tid) && ptrace_cpu_get(tid, &cpu);
	*ret = ptrace_cpu_word(&saved) == 4 ? (uint32_t)ptrace_cpu_call_result(&cpu) : ptrace_cpu_call_result(&cpu);
	ptrace_cpu_set(tid, &saved);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
	return done;
}
