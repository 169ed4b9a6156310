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

uint64_t ptrace_cpu_sp_after_return(uint64_t sp)
{
	return sp + 8;
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

// ---- imitation: what functions begin with ----------------------------------------------------------------------------

// Registers in the order of their numbers in instructions.
static unsigned long long *reg(struct ptrace_cpu *cpu, unsigned number)
{
	struct user_regs_struct *r = &cpu->regs;
	unsigned long long *const regs[] = { &r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp, &r->rsi, &r->rdi,
					     &r->r8, &r->r9, &r->r10, &r->r11, &r->r12, &r->r13, &r->r14, &r->r15 };

	return regs[number];
}

enum { FLAG_CF = 1, FLAG_PF = 4, FLAG_AF = 0x10, FLAG_ZF = 0x40, FLAG_SF = 0x80, FLAG_OF = 0x800 };
#define FLAGS (FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF)

static uint64_t flags_of_sub(uint64_t a, uint64_t b)
{
	uint64_t result = a - b, flags = 0;

	flags |= a < b ? FLAG_CF : 0;
	flags |= __builtin_parity((unsigned)(result & 0xff)) ? 0 : FLAG_PF;
	flags |= (a ^ b ^ result) & FLAG_AF;
	flags |= result ? 0 : FLAG_ZF;
	flags |= result >> 63 ? FLAG_SF : 0;
	flags |= ((a ^ b) & (a ^ result)) >> 63 ? FLAG_OF : 0;
	return flags;
}

static bool imitate_push(pid_t tid, struct ptrace_cpu *cpu, unsigned number)
{
	uint64_t value = *reg(cpu, number), to = cpu->regs.rsp - 8;
	struct iovec local = { .iov_base = &value, .iov_len = sizeof(value) };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)to, .iov_len = sizeof(value) };

	// The stack may have to grow, which a step does.
	if (process_vm_writev(tid, &local, 1, &remote, 1, 0) != sizeof(value))
		return false;
	cpu->regs.rsp = to;
	return true;
}

static size_t nop_length(const uint8_t *insn, size_t size)
{
	static const char *const nops[] = { "\x90", "\x66\x90", "\xf3\x0f\x1e\xfa" }; // the last is endbr64

	for (size_t i = 0; i < SP_ARRAY_SIZE(nops); i++)
		if (size >= strlen(nops[i]) && memcmp(insn, nops[i], strlen(nops[i])) == 0)
			return strlen(nops[i]);
	return 0;
}

// Instructions on registers only (ModRM with mod 3): mov, xor of a register with itself, sub of a constant.
static size_t imitate_regs(struct ptrace_cpu *cpu, const uint8_t *insn, size_t size, uint8_t rex)
{
	unsigned rm, other;
	uint64_t value;
	int32_t constant;

	if (size < 2 || insn[1] >> 6 != 3)
		return 0;
	other = (insn[1] >> 3 & 7) | (rex & 4) << 1;
	rm = (insn[1] & 7) | (rex & 1) << 3;
	switch (insn[0]) {
	case 0x89: // mov %other, %rm
	case 0x8b: // mov %rm, %other
		value = *reg(cpu, insn[0] == 0x89 ? other : rm);
		*reg(cpu, insn[0] == 0x89 ? rm : other) = rex & 8 ? value : (uint32_t)value;
		return 2;
	case 0x31: // xor
	case 0x33:
		if (other != rm)
			return 0;
		*reg(cpu, rm) = 0;
		cpu->regs.eflags = (cpu->regs.eflags & ~(uint64_t)FLAGS) | FLAG_ZF | FLAG_PF;
		return 2;
	case 0x83: // sub $8 bits, %rm
	case 0x81: // sub $32 bits, %rm
		if ((insn[1] >> 3 & 7) != 5 || !(rex & 8) || size < (insn[0] == 0x83 ? 3 : 6))
			return 0;
		constant = (int8_t)insn[2];
		if (insn[0] == 0x81)
			memcpy(&constant, insn + 2, sizeof(constant));
		value = *reg(cpu, rm);
		cpu->regs.eflags = (cpu->regs.eflags & ~(uint64_t)FLAGS) | flags_of_sub(value, (uint64_t)(int64_t)constant);
		*reg(cpu, rm) = value - (uint64_t)(int64_t)constant;
		return insn[0] == 0x83 ? 3 : 6;
	}
	return 0;
}

bool ptrace_cpu_imitate(pid_t tid, struct ptrace_cpu *cpu, const uint8_t *insn, size_t size)
{
	size_t length = nop_length(insn, size);
	uint8_t rex = 0;

	if (!length) {
		if (size && (insn[0] & 0xf0) == 0x40) {
			rex = *insn++;
			size--;
		}
		if (size && (insn[0] & 0xf8) == 0x50)
			length = imitate_push(tid, cpu, (insn[0] & 7) | (rex & 1) << 3) ? 1 : 0;
		else
			length = imitate_regs(cpu, insn, size, rex);
		if (!length)
			return false;
		length += rex ? 1 : 0;
	}
	cpu->regs.rip += length;
	return true;
}

bool ptrace_cpu_is_syscall(const uint8_t *insn, size_t size)
{
	return size >= 2 && ((insn[0] == 0x0f && (insn[1] == 0x05 || insn[1] == 0x34)) ||
			     (insn[0] == 0xcd && insn[1] == 0x80));
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

uint64_t ptrace_cpu_sp_after_return(uint64_t sp)
{
	return sp;
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

bool ptrace_cpu_imitate(pid_t tid, struct ptrace_cpu *cpu, const uint8_t *insn, size_t size)
{
	(void)tid;
	(void)cpu;
	(void)insn;
	(void)size;
	return false;
}

bool ptrace_cpu_is_syscall(const uint8_t *insn, size_t size)
{
	(void)insn;
	(void)size;
	return false;
}

#endif
