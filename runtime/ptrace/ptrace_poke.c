// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // waitid
#include "runtime/ptrace/ptrace_poke.h"

#include "runtime/base/util.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 500 // with a thread that is to stop

static bool has_stopped(pid_t tid)
{
	siginfo_t info;
	unsigned long message;

	if (ptrace(PTRACE_GETEVENTMSG, tid, 0, &message) == 0)
		return true;
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0))
		return false;
	for (unsigned i = 0; i < PATIENCE_MS * 10; i++) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL) || info.si_pid)
			break;
		usleep(100);
	}
	return ptrace(PTRACE_GETEVENTMSG, tid, 0, &message) == 0;
}

// By words that are in one page each.
static bool move_words(pid_t tid, uint64_t address, uint8_t *bytes, size_t size, bool writes)
{
	while (size) {
		size_t at = address % sizeof(long), part = SP_MIN(size, sizeof(long) - at);
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKTEXT, tid, address - at, 0);
		if (errno)
			return false;
		memcpy(writes ? (uint8_t *)&word + at : bytes, writes ? bytes : (uint8_t *)&word + at, part);
		if (writes && ptrace(PTRACE_POKETEXT, tid, address - at, word))
			return false;
		address += part;
		bytes += part;
		size -= part;
	}
	return true;
}

bool ptrace_peek(int mem_fd, pid_t stopped, pid_t tid, uint64_t address, void *dst, size_t size)
{
	if (mem_fd >= 0)
		return pread(mem_fd, dst, size, (off_t)address) == (ssize_t)size;
	return (stopped || has_stopped(tid)) && move_words(stopped ? stopped : tid, address, dst, size, false);
}

bool ptrace_poke(int mem_fd, pid_t stopped, pid_t tid, uint64_t address, const void *src, size_t size)
{
	uint8_t byte, *bytes = (uint8_t *)(uintptr_t)src; // which is only read

	if (pwrite(mem_fd, src, size, (off_t)address) == (ssize_t)size)
		return true;
	if (!ptrace_peek(mem_fd, stopped, tid, address, &byte, 1))
		return false; // nothing is mapped there
	if (stopped && move_words(stopped, address, bytes, size, true))
		return true;
	// What is shared and read-only nobody writes: no other thread is disturbed for that.
	return (!stopped || errno == ESRCH) && has_stopped(tid) && move_words(tid, address, bytes, size, true);
}
