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
static bool poke_words(int mem_fd, pid_t tid, uint64_t address, const uint8_t *src, size_t size)
{
	while (size) {
		size_t at = address % sizeof(long), part = SP_MIN(size, sizeof(long) - at);
		long word;

		if (pread(mem_fd, &word, sizeof(word), (off_t)(address - at)) != sizeof(word))
			return false;
		memcpy((uint8_t *)&word + at, src, part);
		if (ptrace(PTRACE_POKETEXT, tid, address - at, word))
			return false;
		address += part;
		src += part;
		size -= part;
	}
	return true;
}

bool ptrace_poke(int mem_fd, pid_t stopped, pid_t tid, uint64_t address, const void *src, size_t size)
{
	uint8_t byte;

	if (pwrite(mem_fd, src, size, (off_t)address) == (ssize_t)size)
		return true;
	if (pread(mem_fd, &byte, 1, (off_t)address) != 1)
		return false; // nothing is mapped there
	if (stopped && poke_words(mem_fd, stopped, address, src, size))
		return true;
	// What is shared and read-only nobody writes: no other thread is disturbed for that.
	return (!stopped || errno == ESRCH) && has_stopped(tid) && poke_words(mem_fd, tid, address, src, size);
}
