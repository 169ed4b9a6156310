// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // pipe2

#include "runtime/session/child.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL_SYNTAX "|&;<>()$`\\\"'*?[]#~=%{}!\n"
#define SHELL_CONTROL "|&;()`{}!\n" // what makes it more than one simple command
#define BLANKS " \t"

static bool begins_with_keyword(const char *command)
{
	static const char *const words[] = { "if", "for", "while", "until", "case", "cd", "exec", "eval", ".", "set",
					     "export", "trap", "ulimit", "umask", "unset", "wait", "exit", "read" };
	size_t len = strcspn(command, BLANKS);

	for (size_t i = 0; i < SP_ARRAY_SIZE(words); i++)
		if (sp_is_word(command, len, words[i]))
			return true;
	return false;
}

// `A=1 cmd` after `exec` would be taken for the program's name.
static bool begins_with_assignment(const char *command)
{
	size_t len = strcspn(command, BLANKS "=");

	return command[len] == '=';
}

// Behind the quoted text that begins at s; NULL: it is not closed, or runs commands itself.
static const char *quoted_end(const char *s)
{
	char quote = *s++;

	for (; *s && *s != quote; s++)
		if (quote == '"' && (*s == '`' || (s[0] == '$' && s[1] == '(') || (*s == '\\' && !*++s)))
			return NULL;
	return *s ? s + 1 : NULL;
}

// Can `exec` stand before it?
static bool is_one_program(const char *command)
{
	if (begins_with_keyword(command) || begins_with_assignment(command))
		return false;
	for (const char *s = command; *s;) {
		if (strchr(SHELL_CONTROL, *s))
			return false;
		if (*s == '\'' || *s == '"')
			s = quoted_end(s);
		else
			s += *s == '\\' && s[1] ? 2 : 1;
		if (!s)
			return false;
	}
	return true;
}

char **child_argv(const char *command)
{
	SP_VEC(char *) words = { 0 };

	command += strspn(command, BLANKS);
	if (!command[strcspn(command, SHELL_SYNTAX)] && !begins_with_keyword(command)) {
		for (const char *s = command; *s; s += strspn(s, BLANKS)) {
			size_t len = strcspn(s, BLANKS);

			sp_vec_push(&words, sp_strndup(s, len));
			s += len;
		}
	} else {
		struct sp_buf text = { 0 };

		if (is_one_program(command))
			sp_buf_puts(&text, "exec ");
		sp_buf_puts(&text, command);
		sp_vec_push(&words, sp_strdup("sh"));
		sp_vec_push(&words, sp_strdup("-c"));
		sp_vec_push(&words, sp_buf_take(&text));
	}
	sp_vec_push(&words, NULL);
	return words.v;
}

void child_argv_free(char **argv)
{
	for (char **arg = argv; *arg; arg++)
		free(*arg);
	free(argv);
}

// Between fork and exec: only what is safe there when the caller has threads. `path`: the program's, found before, as tries in one
// folder after the other would be seen as the command's; NULL: not found.
static void child_main(const char *path, char **argv, const sigset_t *signals, int go_fd, int report_fd)
{
	ssize_t size;
	char byte;
	int error = 0;

	// The fork is over: the return of its system call is no event of the script.
	if (write(report_fd, &error, sizeof(error)) != sizeof(error))
		_exit(126);
	do
		size = read(go_fd, &byte, 1);
	while (size < 0 && errno == EINTR);
	if (size != 1)
		_exit(126); // the session ended before it let us go
	pthread_sigmask(SIG_SETMASK, signals, NULL);
	if (argv[0] && sp_env_drop())
		execvp(path ? path : argv[0], argv); // a script without #!, too
	error = argv[0] ? errno : ENOENT;
	size = write(report_fd, &error, sizeof(error));
	_exit(size == sizeof(error) ? 127 : 126);
}

static void wait_until_forked(pid_t pid, int report_fd)
{
	int ready;
	ssize_t size;

	do
		size = pid > 0 ? read(report_fd, &ready, sizeof(ready)) : 0;
	while (size < 0 && errno == EINTR);
}

struct sp_err *child_spawn(const char *command, const sigset_t *signals, struct child *ret)
{
	int go[2], report[2];
	sp_cleanup_free char *path = NULL;
	char **argv;
	pid_t pid;

	*ret = (struct child){ .pidfd = -1, .go_fd = -1, .report_fd = -1 };
	if (pipe2(go, O_CLOEXEC))
		return sp_err_errno(errno, "cannot make a pipe");
	if (pipe2(report, O_CLOEXEC)) {
		int error = errno;

		close(go[0]);
		close(go[1]);
		return sp_err_errno(error, "cannot make a pipe");
	}
	argv = child_argv(command);
	path = argv[0] ? sp_env_program(argv[0]) : NULL;
	pid = fork();
	if (pid == 0) {
		// The child waits until the other end is closed, by us or by our death: so it must not hold that end
		// itself.
		close(go[1]);
		child_main(path, argv, signals, go[0], report[1]);
	}
	child_argv_free(argv);
	close(go[0]);
	close(report[1]);
	wait_until_forked(pid, report[0]);
	if (pid < 0) {
		int error = errno;

		close(go[1]);
		close(report[0]);
		return sp_err_errno(error, "cannot fork");
	}
	ret->pid = pid;
	ret->go_fd = go[1];
	ret->report_fd = report[0];
	ret->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return NULL;
}

// The shell is the child of a child that ends at once, so nobody here has to wait for its end.
struct sp_err *child_run(const char *command, const sigset_t *signals)
{
	pid_t pid = fork();

	if (pid < 0)
		return sp_err_errno(errno, "cannot fork");
	if (pid == 0) {
		pid = fork();
		if (pid == 0) {
			if (signals)
				pthread_sigmask(SIG_SETMASK, signals, NULL);
			if (sp_env_drop())
				execvp("/bin/sh", (char **)(const char *[]){ "sh", "-c", command, NULL });
		}
		_exit(pid < 0 ? 126 : 127);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return NULL;
}

struct sp_err *child_release(struct child *child, const char *command)
{
	int error = 0;
	ssize_t size;

	if (sp_file_write_quietly(child->go_fd, "", 1) != 1) // it may have been killed
		return sp_err_errno(errno, "cannot start the command `%s`", command);
	child->released = true;
	close(child->go_fd);
	child->go_fd = -1;
	do
		size = read(child->report_fd, &error, sizeof(error));
	while (size < 0 && errno == EINTR);
	close(child->report_fd);
	child->report_fd = -1;
	if (size == sizeof(error))
		return sp_err_errno(error, "cannot run the command `%s`", command);
	return NULL;
}

// Does a shell run first, which becomes the program by a second exec?
static bool is_behind_shell(const char *command)
{
	char **argv = child_argv(command);
	bool result = argv[0] && sp_streq(argv[0], "sh") && argv[1] && argv[2] && sp_starts_with(argv[2], "exec ");

	child_argv_free(argv);
	return result;
}

// Waits for the next exec. False: the child has ended before.
static bool wait_for_exec(struct child *child)
{
	int status;

	for (;;) {
		if (waitpid(child->pid, &status, 0) < 0) {
			if (errno != EINTR)
				return false;
		} else if (!WIFSTOPPED(status)) {
			child_set_ended(child, status);
			return false;
		} else if (status >> 16 == PTRACE_EVENT_EXEC) {
			return true;
		} else {
			ptrace(PTRACE_CONT, child->pid, NULL, (void *)(intptr_t)WSTOPSIG(status));
		}
	}
}

struct sp_err *child_release_to_start(struct child *child, const char *command, struct sp_err *(*at_start)(void *ctx), void *ctx)
{
	struct sp_err *err;

	if (ptrace(PTRACE_SEIZE, child->pid, NULL, (void *)(intptr_t)PTRACE_O_TRACEEXEC))
		return sp_err_errno(errno, "cannot wait for the start of `%s`", command);
	err = child_release(child, command);
	if (err || !wait_for_exec(child))
		return err;
	if (is_behind_shell(command)) {
		ptrace(PTRACE_CONT, child->pid, NULL, NULL);
		if (!wait_for_exec(child))
			return NULL;
	}
	err = at_start(ctx);
	if (err)
		kill(child->pid, SIGKILL);
	ptrace(PTRACE_DETACH, child->pid, NULL, NULL);
	return err;
}

void child_reap(struct child *child)
{
	int status;

	if (child->pid && !child->ended && waitpid(child->pid, &status, WNOHANG) == child->pid)
		child_set_ended(child, status);
}

void child_set_ended(struct child *child, int status)
{
	child->ended = true;
	child->status = status;
}

static bool ended_within(struct child *child, int ms)
{
	struct pollfd poll_fd = { .fd = child->pidfd, .events = POLLIN };

	// Without pidfds (before Linux 5.3) this sleeps the whole time once.
	poll(&poll_fd, child->pidfd >= 0, ms);
	child_reap(child);
	return child->ended;
}

void child_stop(struct child *child, int patience_ms)
{
	int status;

	if (!child->pid || child->ended)
		return;
	if (child->released) {
		kill(child->pid, SIGTERM);
		kill(child->pid, SIGCONT);
		if (ended_within(child, patience_ms))
			return;
	}
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child_set_ended(child, status);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void child_deinit(struct child *child)
{
	child_stop(child, 1000);
	close_fd(&child->pidfd);
	close_fd(&child->go_fd);
	close_fd(&child->report_fd);
}
