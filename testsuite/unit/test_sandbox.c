// SPDX-License-Identifier: GPL-2.0-or-later
// What the filter of system calls refuses, and what not.
#define _GNU_SOURCE // syscall
#include "testsuite/unit/expect.h"

#include "runtime/machine/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_refused(long result)
{
	return result == -1 && errno == ENOSYS;
}

static void check(unsigned needs)
{
	struct sp_err *err = sandbox_filter(needs);
	char byte;
	int fd;

	EXPECT(!err);
	EXPECT(is_refused(execl("/bin/true", "true", NULL)));
	EXPECT(is_refused(socket(AF_INET, SOCK_STREAM, 0)));
	EXPECT(is_refused(unlink("/nonexistent")) == !(needs & SANDBOX_REMOVE));
	EXPECT(is_refused(syscall(SYS_bpf, BPF_PROG_LOAD, NULL, 0)) == !(needs & SANDBOX_ATTACH));
	EXPECT(!is_refused(syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, NULL, 0)));
	EXPECT(is_refused(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0)) == !(needs & SANDBOX_ATTACH));
	EXPECT(is_refused(sched_getscheduler(0)) == !(needs & SANDBOX_RAISE));
	EXPECT(is_refused(ptrace(PTRACE_CONT, 0, NULL, NULL)) == !(needs & SANDBOX_TRACE));
	EXPECT(is_refused(syscall(SYS_tkill, 0, 0)) == !(needs & SANDBOX_TRACE));
	EXPECT(is_refused(open("/dev/null", O_RDWR)) == !(needs & SANDBOX_WRITE));
	EXPECT(is_refused(open("/dev/null", O_WRONLY | O_APPEND)) == !(needs & SANDBOX_WRITE));
	fd = open("/dev/zero", O_RDONLY);
	EXPECT(fd >= 0 && read(fd, &byte, 1) == 1);
}

// In a process of its own, for a filter stays.
static void try(unsigned needs)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		check(needs);
		_exit(expect_status());
	}
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void)
{
	try(0);
	try(SANDBOX_ATTACH);
	try(SANDBOX_TRACE | SANDBOX_WRITE);
	try(SANDBOX_RAISE);
	try(SANDBOX_WRITE | SANDBOX_REMOVE);
	return expect_status();
}
