// SPDX-License-Identifier: GPL-2.0-or-later
/** The system calls of Linux: their numbers on each architecture, and the names of their parameters. */
#ifndef SP_MODEL_SYSCALL_H
#define SP_MODEL_SYSCALL_H

#include "compiler/model/abi.h"

/** Programs of a machine may be of two kinds, whose calls have other numbers and arguments in other registers. */
enum syscall_abi {
	SYSCALL_NATIVE, // 64-bit programs
	SYSCALL_COMPAT, // 32-bit programs: i386 on x86_64
	SYSCALL_ABI_COUNT
};

struct syscall_info {
	const char *name; // as the kernel's tables have it: "pread64"
	int numbers[2][SYSCALL_ABI_COUNT]; // x86_64, aarch64; -1: there is no such call
	const char *params; // "fd:i buf count pos"; "": it has none, or they are not known
};

/** A parameter. */
struct syscall_param {
	const char *name; // not NUL-terminated
	int len;
	char type; // 'i' int, 'u' unsigned int, 'h' unsigned short; 0: a number of 64 bits
};

/** All of them, sorted by name. */
extern const struct syscall_info syscall_table[];
extern const unsigned syscall_table_size;

/** -1: the machine has no such call for programs of that kind. */
int syscall_number(const struct syscall_info *info, const struct abi *abi, enum syscall_abi kind);
/** NULL: there is no call of that name. */
const struct syscall_info *syscall_find(const char *name);
/** False: as programs of that kind make it, it has no so many parameters that are known. `index` counts from 0. */
bool syscall_param(const struct syscall_info *info, const struct abi *abi, enum syscall_abi kind, unsigned index, struct syscall_param *ret);

#endif
