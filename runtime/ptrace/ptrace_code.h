// SPDX-License-Identifier: GPL-2.0-or-later
/** Bytes of a stopped thread's code, which only ptrace(2) may write. */
#ifndef SP_RUNTIME_PTRACE_CODE_H
#define SP_RUNTIME_PTRACE_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** False when the thread is gone, or nothing is mapped there. */
bool ptrace_code_peek(pid_t tid, uint64_t address, uint8_t *ret);
bool ptrace_code_poke(pid_t tid, uint64_t address, uint8_t byte);

#endif
