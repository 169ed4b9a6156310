// SPDX-License-Identifier: GPL-2.0-or-later
/** What /proc says of a process or thread. */
#ifndef SP_RUNTIME_PTRACE_PROC_H
#define SP_RUNTIME_PTRACE_PROC_H

#include "runtime/vm/vm.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/** Opens "/proc/PID/NAME" for reading; NULL: it is not there. */
FILE *ptrace_proc_open(pid_t pid, const char *name);
/** The same; `mode` is O_RDONLY or O_RDWR. -1 and errno: it cannot be opened. */
int ptrace_proc_open_fd(pid_t pid, const char *name, int mode);
/** Opens a regular file, by its path in the process's root, for reading. */
int ptrace_proc_open_file(pid_t pid, const char *path);
/** The first line of its status that sscanf(3) takes for `format`, whose only value is put into *ret. */
bool ptrace_proc_status(pid_t tid, const char *format, void *ret);
/** The number of the system call that it sleeps in; -1: none, or it runs. */
int ptrace_proc_syscall(pid_t tid);
#define PTRACE_SIGNAL(signal) (UINT64_C(1) << ((signal) - 1))
/** A set of PTRACE_SIGNALs of its status, as "SigCgt: %lx". */
uint64_t ptrace_proc_signals(pid_t tid, const char *format);
/** Do returns have to go where the processor itself has seen a call? (Linux 6.6.) */
bool ptrace_proc_has_shadow_stack(pid_t pid);
/** Does it run a program without the privileges that the program's file gives, because it is traced? Sets the program's path. */
bool ptrace_proc_lost_privileges(pid_t pid, char *program, size_t size);
/** 'R', 'S' and so on; 'X' when it is gone. */
char ptrace_proc_state(pid_t tid);
/** A number of its stat by its place there (proc(5)), from 3 on. 0: not known. */
uint64_t ptrace_proc_stat_number(pid_t pid, int place);
/** Fills in the task's users and groups. False: there is no such process. */
bool ptrace_proc_ids(pid_t pid, struct vm_task *ret);
/** Fills in the thread's name, its parent process and its processor. */
void ptrace_proc_stat(pid_t tid, struct vm_task *ret);

struct ptrace_range {
	uint64_t start, end, offset;
	bool executable;
	const char *name; // of the file, "[heap]"; valid during the call
};
/** Calls `each` for every mapping, in order, until it returns false. */
void ptrace_proc_each_range(pid_t pid, bool (*each)(void *ctx, const struct ptrace_range *range), void *ctx);

#endif
