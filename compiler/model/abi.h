// SPDX-License-Identifier: GPL-2.0-or-later
/** What differs between architectures, as data. To support one: add abi_NAME.c with a table, list it in abi_find, add
 *  its row to the unit test (each table row is tested: an untested table is a wrong table). */
#ifndef SP_MODEL_ABI_H
#define SP_MODEL_ABI_H

#include "runtime/abi/bundle.h"
#include "runtime/base/util.h"

struct abi_reg {
	const char *name; // as register("rax") names it
	int dwarf; // DWARF register number
	uint16_t offset; // in the context of kprobe and uprobe programs (struct pt_regs; user_pt_regs on arm64)
};

struct abi_part { // of a register, with a name of its own: eax, ah
	const char *name, *whole;
	uint8_t bit, bits;
};

/** Registers for floating point, 16 bytes each: the kernel's probes do not see them. */
struct abi_bank {
	const char *name; // with the number behind it: "xmm"
	int dwarf, n; // first DWARF register, of so many
	uint16_t offset; // in the user engine's context; 0: not there
};

struct abi {
	const char *name; // as uname -m says: "x86_64", "aarch64"
	const char *script_name; // as %( arch == "..." %) says: "x86_64", "arm64"
	uint16_t elf_machine;
	uint8_t word_size; // bytes of a pointer, of a register and of an argument on the stack
	const struct abi_reg *regs;
	unsigned n_regs;
	const struct abi_part *parts;
	unsigned n_parts;
	uint16_t pc_offset, sp_offset; // in the same context
	uint16_t watched_offset; // in that of a perf event: the address of the watched memory
	int sp_dwarf, fp_dwarf, return_dwarf;
	uint64_t kept; // bit N: what DWARF register N holds when a function is entered is its caller's, and is there when it returns
	const struct abi_bank *banks; // those for floating point; results are in the first
	unsigned n_banks;
	const int *kernel_args, *user_args; // DWARF registers of integer arguments, in order
	unsigned n_args;
	const int *clone_calls; // numbers of the system calls that make processes and threads
	unsigned n_clone_calls;
	const char *syscall_prefix; // "__x64_sys_", "__arm64_sys_"
	struct abi_syscall { // where the kernel's struct pt_regs has a system call
		const uint16_t *args; // offsets of the six arguments; NULL: there are no such programs
		uint8_t size; // bytes of an argument
	} syscalls[2]; // by enum syscall_abi
	uint16_t syscall_number; // offset of the number, 4 bytes
	const char *compat_member; // of the kernel's struct thread_info; its bit compat_bit is 1 while a 32-bit call is made
	unsigned compat_bit;
	const char *thread_pointer; // member of the kernel's struct thread_struct; NULL: not supported
	uint16_t thread_pointer_offset; // behind the registers of the user engine's context
	uint8_t breakpoint_size; // that the program counter of a kprobe's registers is behind the probed instruction
	uint8_t return_address_size; // bytes that the call pushes on the stack (8 on x86_64, 0 with a link register)
	int link_dwarf; // the register that has the return address at a function's entry; -1: it is on the stack
};

/** Which memory a pointer at a site leads to, unless the script says otherwise. */
enum site_space { SPACE_KERNEL, SPACE_USER };

/** Can a handler read a register? This is the one answer: debug information says where a value is, not who can read it. */
enum reg_access {
	REG_READABLE,
	REG_BY_USER_ENGINE, // one for floating point, which the kernel's probes do not see: --engine=user alone reads it
	REG_NOT_SAVED, // no probe sees it
	REG_NO_CONTEXT, // programs of that kind get no registers
};
enum reg_access reg_readable(const struct abi *abi, enum sp_prog_kind kind, enum site_space space, int64_t dwarf);

/** By uname name; NULL when not supported. */
const struct abi *abi_find(const char *name);
const struct abi *abi_find_elf(uint16_t elf_machine);
/** NULL when the context does not hold that register. */
const struct abi_reg *abi_reg_dwarf(const struct abi *abi, int64_t dwarf);
const struct abi_reg *abi_reg_name(const struct abi *abi, const char *name);
/** NULL when that is no register for floating point. */
const struct abi_bank *abi_bank_dwarf(const struct abi *abi, int64_t dwarf);
/** NULL when no register has a part of that name. */
const struct abi_part *abi_part_name(const struct abi *abi, const char *name);

#endif
