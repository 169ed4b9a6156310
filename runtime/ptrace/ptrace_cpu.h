// SPDX-License-Identifier: GPL-2.0-or-later
/** The user engine's knowledge of the processor: registers of a stopped thread, and the breakpoint instruction. To support
 *  another one: add its branch in ptrace_cpu.c, and what ptrace_insn.h does for its instructions. */
#ifndef SP_RUNTIME_PTRACE_CPU_H
#define SP_RUNTIME_PTRACE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#define PTRACE_CPU_BREAK 0xcc // one byte; the program counter is behind it when it traps

struct ptrace_cpu {
	struct user_regs_struct regs;
#if defined(__x86_64__)
	struct user_fpregs_struct floats; // as ptrace_cpu_get_floats() has found them
#endif
	bool has_floats;
};

/** False: there is no user engine for this processor. */
bool ptrace_cpu_is_known(void);

/** False when the thread is gone. */
bool ptrace_cpu_get(pid_t tid, struct ptrace_cpu *ret);
/** Adds the registers for floating point, those of the instruction that `cpu` is at. */
void ptrace_cpu_get_floats(pid_t tid, struct ptrace_cpu *cpu);
bool ptrace_cpu_set(pid_t tid, const struct ptrace_cpu *cpu);

/** Bytes of an address in the code that it runs: 8 or 4. */
unsigned ptrace_cpu_word(const struct ptrace_cpu *cpu);
uint64_t ptrace_cpu_pc(const struct ptrace_cpu *cpu);
void ptrace_cpu_set_pc(struct ptrace_cpu *cpu, uint64_t pc);
uint64_t ptrace_cpu_sp(const struct ptrace_cpu *cpu);
void ptrace_cpu_set_sp(struct ptrace_cpu *cpu, uint64_t sp);
/** Where a function has returned to: what the stack pointer was at its first instruction. */
uint64_t ptrace_cpu_sp_of_call(const struct ptrace_cpu *cpu);

/** struct pt_regs as the kernel's programs see it, and what compiler/model/abi.h has behind it. */
const void *ptrace_cpu_context(const struct ptrace_cpu *cpu, size_t *size_ret);

/** At an instruction that makes a system call: which. */
void ptrace_cpu_set_call(struct ptrace_cpu *cpu, long number, const uint64_t args[6]);
/** One of its first three arguments. */
uint64_t ptrace_cpu_call_arg(const struct ptrace_cpu *cpu, unsigned index);
uint64_t ptrace_cpu_call_result(const struct ptrace_cpu *cpu);

#endif
