// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/ptrace/ptrace_code.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>

// ptrace(2) moves words; a word that is aligned is in one page.
union code_word {
	long word;
	uint8_t bytes[sizeof(long)];
};

static bool peek_word(pid_t tid, uint64_t address, union code_word *ret)
{
	errno = 0;
	ret->word = ptrace(PTRACE_PEEKTEXT, tid, address & ~(uint64_t)(sizeof(long) - 1), 0);
	return errno == 0;
}

bool ptrace_code_peek(pid_t tid, uint64_t address, uint8_t *ret)
{
	union code_word code;

	if (!peek_word(tid, address, &code))
		return false;
	*ret = code.bytes[address % sizeof(long)];
	return true;
}

bool ptrace_code_poke(pid_t tid, uint64_t address, uint8_t byte)
{
	union code_word code;

	if (!peek_word(tid, address, &code))
		return false;
	if (code.bytes[address % sizeof(long)] == byte)
		return true;
	code.bytes[address % sizeof(long)] = byte;
	return ptrace(PTRACE_POKETEXT, tid, address & ~(uint64_t)(sizeof(long) - 1), code.word) == 0;
}
