// SPDX-License-Identifier: GPL-2.0-or-later
// What the user engine imitates does what the processor does: each instruction is run by both on the same registers.
#define _GNU_SOURCE // process_vm_readv

#include "runtime/ptrace/ptrace_cpu.h"

#include "expect.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

static const struct {
	const char *text, *bytes;
	size_t size;
	bool imitated;
} insns[] = {
	{ "push %rbp", "\x55", 1, true },
	{ "push %rsp", "\x54", 1, true },
	{ "push %r12", "\x41\x54", 2, true },
	{ "nop", "\x90", 1, true },
	{ "xchg %ax,%ax", "\x66\x90", 2, true },
	{ "endbr64", "\xf3\x0f\x1e\xfa", 4, true },
	{ "mov %rsp,%rbp", "\x48\x89\xe5", 3, true },
	{ "mov %edi,%eax", "\x89\xf8", 2, true },
	{ "mov %r9,%rax", "\x4c\x89\xc8", 3, true },
	{ "mov %rdi,%r14 (8b)", "\x4c\x8b\xf7", 3, true },
	{ "xor %eax,%eax", "\x31\xc0", 2, true },
	{ "xor %r9d,%r9d", "\x45\x31\xc9", 3, true },
	{ "sub $0x18,%rsp", "\x48\x83\xec\x18", 4, true },
	{ "sub $-0x80,%rsp", "\x48\x83\xec\x80", 4, true },
	{ "sub $0x7fffffff,%rax", "\x48\x81\xe8\xff\xff\xff\x7f", 7, true },
	{ "sub $-1,%r11", "\x49\x83\xeb\xff", 4, true },
	{ "xor %eax,%ecx", "\x31\xc1", 2, false },
	{ "add $8,%rsp", "\x48\x83\xc4\x08", 4, false },
	{ "sub $8,%esp", "\x83\xec\x08", 3, false },
	{ "mov %rdi,(%rsp)", "\x48\x89\x3c\x24", 4, false },
	{ "ret", "\xc3", 1, false },
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
		// A single step leaves no trace in the flags but RF; xor leaves AF undefined.
		uint64_t mask = sp_streq(names[i], "eflags") ? (strstr(text, "xor") ? 0x8c5 : 0x8d5) : UINT64_MAX;

		if (sp_streq(names[i], "orig_rax") || (a[i] & mask) == (b[i] & mask))
			continue;
		expect_failures++;
		printf("%s: %s is %#llx, the processor has %#llx\n", text, names[i], a[i], b[i]);
	}
}

static void check(pid_t pid, uint8_t *page, size_t index, const struct ptrace_cpu *start)
{
	uint64_t *slot = (uint64_t *)(page + 2048) - 1, pushed;
	struct ptrace_cpu imitated = *start, stepped;
	int status;

	memcpy(page, insns[index].bytes, insns[index].size);
	*slot = 0;
	ptrace_cpu_set(pid, start);
	EXPECT_NUM(ptrace_cpu_imitate(pid, &imitated, page, 16), insns[index].imitated);
	if (!insns[index].imitated) {
		EXPECT(memcmp(&imitated, start, sizeof(imitated)) == 0);
		return;
	}
	pushed = *slot;
	*slot = 0;
	ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
	waitpid(pid, &status, 0);
	EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	EXPECT(ptrace_cpu_get(pid, &stepped));
	compare(insns[index].text, &imitated, &stepped);
	EXPECT_NUM((int64_t)pushed, (int64_t)*slot);
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
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < SP_ARRAY_SIZE(insns); i++) {
			randomize(&cpu, &state);
			cpu.regs.orig_rax = -1ull; // it was in a system call
			cpu.regs.rip = (uintptr_t)page;
			cpu.regs.rsp = (uintptr_t)page + 2048;
			check(pid, page, i, &cpu);
		}
	}
	EXPECT(ptrace_cpu_is_syscall((const uint8_t *)"\x0f\x05", 2));
	EXPECT(!ptrace_cpu_is_syscall((const uint8_t *)"\x55\x05", 2));
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
