// SPDX-License-Identifier: GPL-2.0-or-later
/** Runs clang as a child process, which compiles C to LLVM bitcode for BPF. */
#ifndef SP_DRIVER_CLANG_H
#define SP_DRIVER_CLANG_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"

#include <sys/types.h>

struct clang_message {
	enum clang_severity { CLANG_NOTE, CLANG_WARNING, CLANG_ERROR } severity;
	const char *file; // "": the message has no place
	uint32_t line, column;
	const char *text;
};

struct clang_run {
	unsigned llvm_major; // clang-N of this version is tried first, then clang
	const char *include_dir; // where `#include "x.h"` is looked for; NULL: nowhere
	const char *program; // result: the clang that ran; NULL: none is installed
	int status; // result: 0 when it made bitcode
	struct sp_buf messages; // result: clang's own text, one message a line
	struct sp_buf bitcode; // result
};

/** Errors are those of the system. When clang refuses the text, that is a result: `status` and `messages`. */
struct sp_err *clang_compile(struct clang_run *run, const struct sp_buf *source);
/** A file in memory with that content (NULL: empty), to be closed, and the whole content of a file. */
struct sp_err *clang_make_file(const char *name, const struct sp_buf *content, int *fd_ret);
struct sp_err *clang_read_file(int fd, struct sp_buf *ret);
/** Starts a compiler with these files as its standard streams. They are files and not pipes, which could fill up. Returns 0 or an
 *  errno. What the compiler reads is not noted: c_inputs_note() does that. */
int clang_start(const char *const args[], const int fds[3], pid_t *pid_ret);
/** Waits for the end of a compiler. *status_ret: its exit status, or 128 plus the signal that ended it. */
struct sp_err *clang_wait(pid_t pid, int *status_ret);
/** Reads the next message at `*at`, and moves that behind it; false at the end. `ret` points into the text, which gets NULs. */
bool clang_next_message(char **at, struct clang_message *ret);
void clang_run_deinit(struct clang_run *run);

#endif
