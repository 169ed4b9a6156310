// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // process_vm_readv

#include "runtime/ptrace/ptrace_cpu.h"

#include "runtime/base/util.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#if defined(__x86_64__)

// struct pt_regs of the kernel (arch/x86/include/asm/ptrace.h) is the part of user_regs_struct before fs_base. That,
// the thread pointer, is the last word of the context, unless the registers for floating point follow.
#define CONTEXT_SIZE offsetof(struct user_regs_struct, gs_base)
#define FLOATS_END (offsetof(struct ptrace_cpu, floats) + sizeof(struct user_fpregs_struct))
_Static_assert(offsetof(struct user_regs_struct, fs_base) == 21 * 8, "struct pt_regs has 21 words");
_Static_assert(offsetof(struct ptrace_cpu, floats.st_space) == 27 * 8 + 32, "abi_x86_64.c");
_Static_assert(offsetof(struct ptrace_cpu, floats.xmm_space) == 27 * 8 + 160, "abi_x86_64.c");

bool ptrace_cpu_is_known(void)
{
	return true;
}

bool ptrace_cpu_get(pid_t tid, struct ptrace_cpu *ret)
{
	struct iovec iov = { .iov_base = &ret->regs, .iov_len = sizeof(ret->regs) };

	ret->has_floats = false;
	return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov) == 0 && iov.iov_len == sizeof(ret->regs);
}

void ptrace_cpu_get_floats(pid_t tid, struct ptrace_cpu *cpu)
{
	struct iovec iov = { .iov_base = &cpu->floats, .iov_len = sizeof(cpu->floats) };

	cpu->has_floats = ptrace(PTRACE_GETREGSET, tid, NT_PRFPREG, &iov) == 0 && iov.iov_len == sizeof(cpu->floats);
}

void ptrace_cpu_set_call(struct ptrace_cpu *cpu, long number, const uint64_t args[6])
{
	struct user_regs_struct *r = &cpu->regs;

	r->rax = (unsigned long long)number;
	r->orig_rax = UINT64_MAX; // it is in no system call that could be restarted
	r->rdi = args[0];
	r->rsi = args[1];
	r->rdx = args[2];
	r->r10 = args[3];
	r->r8 = args[4];
	r->r9 = args[5];
}

uint64_t ptrace_cpu_call_arg(const struct ptrace_cpu *cpu, unsigned index)
{
	const unsigned long long args[] = { cpu->regs.rdi, cpu->regs.rsi, cpu->regs.rdx };

	return args[index];
}

uint64_t ptrace_cpu_call_result(const struct ptrace_cpu *cpu)
{
	return cpu->regs.rax;
}

bool ptrace_cpu_set(pid_t tid, const struct ptrace_cpu *cpu)
{
	struct ptrace_cpu copy = *cpu;
	struct iovec iov = { .iov_base = &copy.regs, .iov_len = sizeof(copy.regs) };

	return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &iov) == 0;
}

uint64_t ptrace_cpu_pc(const struct ptrace_cpu *cpu)
{
	return cpu->regs.rip;
}

void ptrace_cpu_set_pc(struct ptrace_cpu *cpu, uint64_t pc)
{
	cpu->regs.rip = pc;
}

uint64_t ptrace_cpu_sp(const struct ptrace_cpu *cpu)
{
	return cpu->regs.rsp;
}

void ptrace_cpu_set_sp(struct ptrace_cpu *cpu, uint64_t sp)
{
	cpu->regs.rsp = sp;
}

uint64_t ptrace_cpu_sp_of_call(const struct ptrace_cpu *cpu)
{
	return cpu->regs.rsp - 8;
}

bool ptrace_cpu_return_address(pid_t tid, const struct ptrace_cpu *cpu, uint64_t *ret)
{
	struct iovec local = { .iov_base = ret, .iov_len = sizeof(*ret) };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)cpu->regs.rsp, .iov_len = sizeof(*ret) };

	return process_vm_readv(tid, &local, 1, &remote, 1, 0) == sizeof(*ret);
}

const void *ptrace_cpu_context(const struct ptrace_cpu *cpu, size_t *size_ret)
{
	*size_ret = cpu->has_floats ? FLOATS_END : CONTEXT_SIZE;
	return cpu;
}

#else

// The engine is refused by ptrace_cpu_is_known before any of the rest is called.
bool ptrace_cpu_is_known(void)
{
	return false;
}

bool ptrace_cpu_get(pid_t tid, struct ptrace_cpu *ret)
{
	(void)tid;
	(void)ret;
	return false;
}

void ptrace_cpu_get_floats(pid_t tid, struct ptrace_cpu *cpu)
{
	(void)tid;
	(void)cpu;
}

bool ptrace_cpu_set(pid_t tid, const struct ptrace_cpu *cpu)
{
	(void)tid;
	(void)cpu;
	return false;
}

uint64_t ptrace_cpu_pc(const struct ptrace_cpu *cpu)
{
	(void)cpu;
	return 0;
}

void ptrace_cpu_set_pc(struct ptrace_cpu *cpu, uint64_t pc)
{
	(void)cpu;
	(void)pc;
}

uint64_t ptrace_cpu_sp(const struct ptrace_cpu *cpu)
{
	(void)cpu;
	return 0;
}

void ptrace_cpu_set_sp(struct ptrace_cpu *cpu, uint64_t sp)
{
	(void)cpu;
	(void)sp;
}

uint64_t ptrace_cpu_sp_of_call(const struct ptrace_cpu *cpu)
{
	(void)cpu;
	return 0;
}

void ptrace_cpu_set_call(struct ptrace_cpu *cpu, long number, const uint64_t args[6])
{
	(void)cpu;
	(void)number;
	(void)args;
}

uint64_t ptrace_cpu_call_arg(const struct ptrace_cpu *cpu, unsigned index)
{
	(void)cpu;
	(void)index;
	return 0;
}

uint64_t ptrace_cpu_call_result(const struct ptrace_cpu *cpu)
{
	(void)cpu;
	return 0;
}

bool ptrace_cpu_return_address(pid_t tid, const struct ptrace_cpu *cpu, uint64_t *ret)
{
	(void)tid;
	(void)cpu;
	(void)ret;
	return false;
}

const void *ptrace_cpu_context(const struct ptrace_cpu *cpu, size_t *size_ret)
{
	(void)cpu;
	*size_ret = 0;
	return NULL;
}

#endif
