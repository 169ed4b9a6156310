// SPDX-License-Identifier: GPL-2.0-or-later
/** Where the kernel of an architecture has the number of a system call, and of which kind it is: made by a program of its own
 *  width, or by a 32-bit one. The compiler makes handlers for the one and the other, and the runtime calls the right one. */
#ifndef SP_ABI_SYSCALL_H
#define SP_ABI_SYSCALL_H

#define SP_X86_64_CALL_NUMBER 120 // in struct pt_regs: orig_ax
#define SP_X86_64_COMPAT_MEMBER "status" // of struct thread_info; its bit TS_COMPAT is set from the entry of the call to its end
#define SP_X86_64_COMPAT_SIZE 4
#define SP_X86_64_COMPAT_BIT 1

#define SP_AARCH64_CALL_NUMBER 280 // syscallno
#define SP_AARCH64_COMPAT_MEMBER "flags" // TIF_32BIT, of the thread
#define SP_AARCH64_COMPAT_SIZE 8
#define SP_AARCH64_COMPAT_BIT 22

#endif
