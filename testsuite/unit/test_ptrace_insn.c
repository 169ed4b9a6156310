// SPDX-License-Identifier: GPL-2.0-or-later
// A slot does what the instruction does that it is for: both are run on the same registers, and memory.
#include "runtime/ptrace/ptrace_insn.h"

#include "expect.h"
#include "runtime/ptrace/ptrace_cpu.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

#define SLOT 1024 // offsets in the page: of the slot, and of the middle of the stack
#define STACK 2048

static const struct {
	const char *text, *bytes;
	size_t size;
} insns[] = {
	{ "push %rbp", "\x55", 1 },
	{ "push %rsp", "\x54", 1 },
	{ "endbr64", "\xf3\x0f\x1e\xfa", 4 },
	{ "mov %rsp,%rbp", "\x48\x89\xe5", 3 },
	{ "sub $0x7fffffff,%rax", "\x48\x81\xe8\xff\xff\xff\x7f", 7 },
	{ "movabs $0x1122334455667788,%r11", "\x49\xbb\x88\x77\x66\x55\x44\x33\x22\x11", 10 },
	{ "mov 0x20(%rip),%rax", "\x48\x8b\x05\x20\x00\x00\x00", 7 },
	{ "lea -0x10(%rip),%rdx", "\x48\x8d\x15\xf0\xff\xff\xff", 7 },
	{ "cmpl $5,0x30(%rip)", "\x83\x3d\x30\x00\x00\x00\x05", 7 },
	{ "movdqu 0x40(%rip),%xmm1", "\xf3\x0f\x6f\x0d\x40\x00\x00\x00", 8 },
	{ "ret", "\xc3", 1 },
	{ "ret $8", "\xc2\x08\x00", 3 },
	{ "jmp +0x20", "\xeb\x20", 2 },
	{ "jmp +0x120", "\xe9\x20\x01\x00\x00", 5 },
	{ "jmp *%rsi", "\xff\xe6", 2 },
	{ "jmp *0x10(%rsp)", "\xff\x64\x24\x10", 4 },
	{ "je +0x20", "\x74\x20", 2 },
	{ "jl -0x10", "\x7c\xf0", 2 },
	{ "ja +0x100", "\x0f\x87\x00\x01\x00\x00", 6 },
	{ "jo +0x100", "\x0f\x80\x00\x01\x00\x00", 6 },
	{ "loop +0x20", "\xe2\x20", 2 },
	{ "loopne +0x20", "\xe0\x20", 2 },
	{ "jrcxz +0x20", "\xe3\x20", 2 },
	{ "jecxz +0x20", "\x67\xe3\x20", 3 },
	{ "call +0x40", "\xe8\x40\x00\x00\x00", 5 },
	{ "data16 rex.w call +0x40", "\x66\x66\x48\xe8\x40\x00\x00\x00", 8 },
	{ "call *%rsi", "\xff\xd6", 2 },
	{ "call *%r12", "\x41\xff\xd4", 3 },
	{ "call *0x50(%rip)", "\xff\x15\x50\x00\x00\x00", 6 },
	{ "call *(%rsp)", "\xff\x14\x24", 3 },
	{ "call *0x18(%rsp)", "\xff\x54\x24\x18", 4 },
	{ "call *0x7c(%rsp)", "\xff\x54\x24\x7c", 4 },
	{ "call *0x90(%rsp)", "\xff\x94\x24\x90\x00\x00\x00", 7 },
	{ "call *0x8(%r9)", "\x41\xff\x51\x08", 4 },
	{ "call *%fs:0x10", "\x64\xff\x14\x25\x10\x00\x00\x00", 8 },
};

// These have no slot.
static const struct {
	const char *text, *bytes;
	size_t size;
} refused[] = {
	{ "int3", "\xcc", 1 },
	{ "xbegin", "\xc7\xf8\x00\x00\x00\x00", 6 },
	{ "call *%rsp", "\xff\xd4", 2 },
	{ "lcall *(%rax)", "\xff\x18", 2 },
	{ "(bad) push %es", "\x06", 1 },
	{ "(bad) data16 call", "\x66\xe8\x00\x00\x00\x00", 6 },
	{ "(cut) mov 0x20(%rip),%rax", "\x48\x8b\x05\x20\x00\x00", 6 },
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

// Values at the borders of the flags now and then.
static void randomize(struct ptrace_cpu *cpu, uint64_t *state)
{
	static const uint64_t edges[] = { 0, 1, 0x18, 0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX, 0x7fffffff };
	unsigned long long *regs[] = { &cpu->regs.rax, &cpu->regs.rcx, &cpu->regs.rdx, &cpu->regs.rbx, &cpu->regs.rbp,
				       &cpu->regs.rsi, &cpu->regs.rdi, &cpu->regs.r8, &cpu->regs.r9, &cpu->regs.r10,
				       &cpu->regs.r11, &cpu->regs.r12, &cpu->regs.r13, &cpu->regs.r14, &cpu->regs.r15 };

	for (size_t i = 0; i < SP_ARRAY_SIZE(regs); i++) {
		uint64_t value = next_random(state);

		*regs[i] = value & 3 ? value : edges[(value >> 8) % SP_ARRAY_SIZE(edges)];
	}
	cpu->regs.eflags = 0x202 | (next_random(state) & 0x8d5);
}

static void compare(const char *text, const struct ptrace_cpu *got, const struct ptrace_cpu *want)
{
	static const char *const names[] = { "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax",
					     "rcx", "rdx", "rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss" };
	const unsigned long long *a = (const void *)&got->regs, *b = (const void *)&want->regs;

	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++) {
		// A single step leaves no trace in the flags but RF.
		uint64_t mask = sp_streq(names[i], "eflags") ? 0x8d5 : UINT64_MAX;

		if (sp_streq(names[i], "orig_rax") || (a[i] & mask) == (b[i] & mask))
			continue;
		expect_failures++;
		printf("%s: %s is %#llx, without a slot %#llx\n", text, names[i], a[i], b[i]);
	}
}

// False: it faulted.
static bool step(pid_t pid, struct ptrace_cpu *ret)
{
	int status;

	ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
	waitpid(pid, &status, 0);
	EXPECT(WIFSTOPPED(status));
	EXPECT(ptrace_cpu_get(pid, ret));
	return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

static bool is_in(const struct ptrace_slot *slot, uint64_t pc)
{
	return pc - slot->address < slot->size;
}

// Where it would be without the slot is before the instruction or behind it.
static void check_leave(const char *text, const struct ptrace_slot *slot, const struct ptrace_cpu *cpu,
			const struct ptrace_cpu *start, const struct ptrace_cpu *end)
{
	uint64_t pc = ptrace_cpu_pc(cpu), sp = ptrace_cpu_sp(cpu);
	bool is_behind = ptrace_slot_leave(slot, ptrace_cpu_pc(start), &pc, &sp);
	const struct ptrace_cpu *want = is_behind ? end : start;

	if (pc == ptrace_cpu_pc(want) && sp == ptrace_cpu_sp(want))
		return;
	expect_failures++;
	printf("%s: at %#llx of its slot, it is at %#llx\n", text, cpu->regs.rip - slot->address, (unsigned long long)pc);
}

static void check(pid_t pid, uint8_t *page, size_t index, const struct ptrace_cpu *start)
{
	const char *text = insns[index].text;
	uint8_t before[4096], native[4096];
	struct ptrace_cpu cpu = *start, end;
	struct ptrace_slot slot;
	bool faults;

	memcpy(page, insns[index].bytes, insns[index].size);
	EXPECT(ptrace_insn_relocate(page, 16, (uintptr_t)page, (uintptr_t)page + SLOT, 64, &slot));
	memcpy(page + SLOT, slot.code, slot.size);
	memcpy(before, page, sizeof(before));
	ptrace_cpu_set(pid, start);
	faults = !step(pid, &end);
	memcpy(native, page, sizeof(native));
	memcpy(page, before, sizeof(before));
	ptrace_cpu_set_pc(&cpu, slot.address);
	ptrace_cpu_set(pid, &cpu);
	while (is_in(&slot, ptrace_cpu_pc(&cpu))) {
		check_leave(text, &slot, &cpu, start, &end);
		if (step(pid, &cpu))
			continue;
		EXPECT(faults);
		check_leave(text, &slot, &cpu, start, &end);
		return;
	}
	EXPECT(!faults);
	compare(text, &cpu, &end);
	if (memcmp(page, native, sizeof(native))) {
		expect_failures++;
		printf("%s: memory differs\n", text);
	}
}

static void check_refused(void)
{
	struct ptrace_slot slot;

	for (size_t i = 0; i < SP_ARRAY_SIZE(refused); i++) {
		if (!ptrace_insn_relocate((const uint8_t *)refused[i].bytes, refused[i].size, 0x1000, 0x2000, 64, &slot))
			continue;
		expect_failures++;
		printf("%s has a slot\n", refused[i].text);
	}
	// Too far away for what is relative.
	EXPECT(!ptrace_insn_relocate((const uint8_t *)insns[6].bytes, insns[6].size, 0x1000, 0x100001000, 64, &slot));
}

int main(void)
{
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t state = 88172645463325252u;
	struct ptrace_cpu cpu;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	if (page == MAP_FAILED || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || !ptrace_cpu_get(pid, &cpu)) {
		printf("no process can be traced here\n");
		return 77;
	}
	check_refused();
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < SP_ARRAY_SIZE(insns); i++) {
			// Addresses to jump to are in the page.
			for (size_t at = 0; at < 4096; at += 8)
				((uint64_t *)page)[at / 8] = (uintptr_t)page + 512 + next_random(&state) % 64;
			randomize(&cpu, &state);
			cpu.regs.orig_rax = -1ull; // it was in a system call
			cpu.regs.rip = (uintptr_t)page;
			cpu.regs.rsp = (uintptr_t)page + STACK;
			cpu.regs.rsi = cpu.regs.r12 = (uintptr_t)page + 600;
			cpu.regs.r9 = (uintptr_t)page + 256;
			cpu.regs.rcx = next_random(&state) % 3;
			check(pid, page, i, &cpu);
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return expect_status();
}

#else

int main(void)
{
	EXPECT(!ptrace_cpu_is_known());
	return expect_status();
}

#endif
