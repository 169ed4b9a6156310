// SPDX-License-Identifier: GPL-2.0-or-later
/** clang as a child process: C text to LLVM bitcode for BPF. */
#ifndef SP_DRIVER_CLANG_H
#define SP_DRIVER_CLANG_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"

#include <sys/types.h>

struct clang_message {
	enum clang_severity { CLANG_NOTE, CLANG_WARNING, CLANG_ERROR } severity;
	const char *file; // "" when it has no place
	uint32_t line, column;
	const char *text;
};

struct clang_run {
	unsigned llvm_major; // clang-N of this version is tried first, then clang
	const char *include_dir; // where headers in quotes are looked for; NULL: nowhere
	const char *program; // result: the one that ran; NULL: there is none
	int status; // result: 0 when it made bitcode
	struct sp_buf messages; // result: clang's own text, one message a line
	struct sp_buf bitcode; // result
};

/** Errors are the system's; what clang says is in the results. */
struct sp_err *clang_compile(struct clang_run *run, const struct sp_buf *source);
/** Waits for a compiler's end: its exit status, or 128 and the signal that ended it. */
struct sp_err *clang_wait(pid_t pid, int *status_ret);
/** Takes a message off `*at`; false at the end. The text is changed: lines get their NUL. */
bool clang_next_message(char **at, struct clang_message *ret);
void clang_run_deinit(struct clang_run *run);

#endif
