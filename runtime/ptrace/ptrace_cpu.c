// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/ptrace/ptrace_cpu.h"

#include "runtime/base/util.h"

#include <sys/ptrace.h>

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

// PTRACE_GETREGS and its like give all programs the same structures; regsets have those of the program's own word size.
bool ptrace_cpu_get(pid_t tid, struct ptrace_cpu *ret)
{
	ret->has_floats = false;
	return ptrace(PTRACE_GETREGS, tid, 0, &ret->regs) == 0;
}

void ptrace_cpu_get_floats(pid_t tid, struct ptrace_cpu *cpu)
{
	cpu->has_floats = ptrace(PTRACE_GETFPREGS, tid, 0, &cpu->floats) == 0;
}

#define CS_32 0x23 // __USER32_CS, the code segment of 32-bit programs

unsigned ptrace_cpu_word(const struct ptrace_cpu *cpu)
{
	return cpu->regs.cs == CS_32 ? 4 : 8;
}

void ptrace_cpu_set_call(struct ptrace_cpu *cpu, long number, const uint64_t args[6])
{
	struct user_regs_struct *r = &cpu->regs;

	r->rax = (unsigned long long)number;
	r->orig_rax = UINT64_MAX; // it is in no system call that could be restarted
	r->eflags &= ~UINT64_C(0x100); // nor does it step through itself meanwhile (TF)
	if (ptrace_cpu_word(cpu) == 4) {
		r->rbx = args[0];
		r->rcx = args[1];
		r->rdx = args[2];
		r->rsi = args[3];
		r->rdi = args[4];
		r->rbp = args[5];
		return;
	}
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

	return ptrace(PTRACE_SETREGS, tid, 0, &copy.regs) == 0;
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
	return cpu->regs.rsp - ptrace_cpu_word(cpu);
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

unsigned ptrace_cpu_word(const struct ptrace_cpu *cpu)
{
	(void)cpu;
	return 8;
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

const void *ptrace_cpu_context(const struct ptrace_cpu *cpu, size_t *size_ret)
{
	(void)cpu;
	*size_ret = 0;
	return NULL;
}

#endif
