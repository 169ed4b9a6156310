// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memfd_create
#include "compiler/driver/clang.h"

#include "compiler/cache/look.h"
#include "compiler/driver/c_inputs.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

// A compilation directory that -fdebug-prefix-map removes again, so that file names in the debug information are those of #line.
// (clang takes an empty one for none.)
#define NO_DIR "/-/spile"

// ---- the process --------------------------------------------------------------------------------

struct sp_err *clang_make_file(const char *name, const struct sp_buf *content, int *fd_ret)
{
	size_t done = 0;
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return sp_err_errno(errno, "memory for clang's files");
	*fd_ret = fd;
	while (content && done < content->len) {
		ssize_t n = write(fd, content->data + done, content->len - done);

		if (n < 0)
			return sp_err_errno(errno, "writing the C text for clang");
		done += (size_t)n;
	}
	return lseek(fd, 0, SEEK_SET) < 0 ? sp_err_errno(errno, "the C text for clang") : NULL;
}

struct sp_err *clang_read_file(int fd, struct sp_buf *ret)
{
	char bytes[16384];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		sp_buf_add(ret, bytes, (size_t)n);
		at += n;
	}
	return n < 0 ? sp_err_errno(errno, "reading what clang wrote") : NULL;
}

int clang_start(const char *const args[], const int fds[3], pid_t *pid_ret)
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	c_inputs_program(args[0]);
	LOOK_PAUSE(); // what it reads, it tells
	if (err)
		return err;
	for (int i = 0; i < 3 && !err; i++)
		err = posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	if (!err)
		err = sp_env_spawn(args, &actions, pid_ret);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

static int start_clang(const char *program, const char *include_dir, const int fds[3], pid_t *pid_ret)
{
	const char *args[] = {
		program, "-target", "bpfel", "-mcpu=v3", "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-g", "-gdwarf-4", "-std=gnu11", "-ffreestanding",
		"-fno-builtin", "-fno-unroll-loops", "-fno-jump-tables", "-fno-stack-protector",
		"-fno-asynchronous-unwind-tables", "-fdebug-compilation-dir=" NO_DIR, "-fdebug-prefix-map=" NO_DIR "=", "-nostdinc", "-fno-caret-diagnostics",
		"-fno-color-diagnostics", "-fno-diagnostics-show-option", "-Wno-pointer-sign",
		"-fms-extensions", "-Wno-microsoft-anon-tag", // a structure without a name may have a tag, as kernels since 6.19 have them
		C_INPUTS_OPTIONS, "-Werror=implicit-function-declaration",
		"-emit-llvm", "-c", "-o", "-", "-x", "c", "-", include_dir ? "-iquote" : NULL, include_dir, NULL
	};

	return clang_start(args, fds, pid_ret);
}

struct sp_err *clang_wait(pid_t pid, int *status_ret)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return sp_err_errno(errno, "waiting for the compiler");
	*status_ret = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return NULL;
}

// Is `clang`, whose name has no version, older than LLVM? LLVM reads bitcode of an older clang, but may fail on it later. (Bitcode
// of a newer clang cannot be read at all, which is reported.)
static struct sp_err *is_older_than(unsigned llvm_major, bool *ret)
{
	static const char *const args[] = { "clang", "-dumpversion", NULL };
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	sp_cleanup_close int out = -1;
	unsigned long major;
	pid_t pid;
	int status;

	*ret = false;
	SP_TRY(clang_make_file("version", NULL, &out));
	if (clang_start(args, (int[]){ out, out, out }, &pid))
		return NULL; // whoever starts it next will see why
	SP_TRY(clang_wait(pid, &status));
	SP_TRY(clang_read_file(out, &text));
	major = strtoul(sp_buf_str(&text), NULL, 10);
	*ret = !status && major && major < llvm_major;
	return NULL;
}

struct sp_err *clang_compile(struct clang_run *run, const struct sp_buf *source)
{
	sp_cleanup_close int in = -1;
	sp_cleanup_close int out = -1;
	sp_cleanup_close int messages = -1;
	char versioned[32];
	const char *names[] = { versioned, "clang" };
	pid_t pid = 0;
	int err = ENOENT;

	SP_TRY(clang_make_file("c", source, &in));
	SP_TRY(clang_make_file("bitcode", NULL, &out));
	SP_TRY(clang_make_file("messages", NULL, &messages));
	snprintf(versioned, sizeof(versioned), "clang-%u", run->llvm_major);
	for (size_t i = 0; i < SP_ARRAY_SIZE(names) && err; i++) {
		bool is_older = false;

		if (i)
			SP_TRY(is_older_than(run->llvm_major, &is_older));
		if (is_older)
			break;
		err = start_clang(names[i], run->include_dir, (int[]){ in, out, messages }, &pid);
		if (err && err != ENOENT && err != ENOTDIR && err != EACCES)
			return sp_err_errno(err, "starting %s", names[i]);
		run->program = err ? NULL : i ? "clang" : "clang of LLVM's version";
	}
	if (err)
		return NULL;
	SP_TRY(clang_wait(pid, &run->status));
	SP_TRY(clang_read_file(messages, &run->messages));
	c_inputs_note(source, &run->messages, run->include_dir);
	return clang_read_file(out, &run->bitcode);
}

void clang_run_deinit(struct clang_run *run)
{
	sp_buf_deinit(&run->messages);
	sp_buf_deinit(&run->bitcode);
}

// ---- messages -----------------------------------------------------------------------------------

// Reads "FILE:LINE:COLUMN: " before `end`. FILE may hold anything but a newline, also colons.
static void take_place(char *line, char *end, struct clang_message *ret)
{
	char *colons[2] = { NULL, NULL };

	if (end - line < 2)
		return;
	*(end - 2) = '\0'; // the colon of ": "
	for (char *s = end - 2; s > line && !colons[1]; s--)
		if (*s == ':')
			colons[colons[0] ? 1 : 0] = s;
	if (!colons[1])
		return;
	*colons[1] = '\0';
	ret->file = line;
	ret->line = (uint32_t)strtoul(colons[1] + 1, NULL, 10);
	ret->column = (uint32_t)strtoul(colons[0] + 1, NULL, 10);
}

static bool read_message(char *line, struct clang_message *ret)
{
	static const struct {
		const char *word;
		enum clang_severity severity;
	} kinds[] = {
		{ "fatal error: ", CLANG_ERROR },
		{ "error: ", CLANG_ERROR },
		{ "warning: ", CLANG_WARNING },
		{ "note: ", CLANG_NOTE },
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++) {
		char *word = strstr(line, kinds[i].word);

		if (!word || (word > line && word[-1] != ' '))
			continue;
		*ret = (struct clang_message){ .severity = kinds[i].severity,
					       .file = "",
					       .text = word + strlen(kinds[i].word) };
		take_place(line, word, ret);
		return true;
	}
	return false;
}

bool clang_next_message(char **at, struct clang_message *ret)
{
	while (**at) {
		char *line = *at, *end = line + strcspn(line, "\n");

		*at = end + (*end == '\n');
		*end = '\0';
		if (read_message(line, ret))
			return true;
	}
	return false;
}
