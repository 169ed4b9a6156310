// SPDX-License-Identifier: GPL-2.0-or-later
// How the command of -c is run, started, and ended.
#define _GNU_SOURCE

#include "runtime/session/child.h"

#include "expect.h"
#include "runtime/base/cleanup.h"

#include <poll.h>
#include <sys/wait.h>

// argv joined with '|'
static void expect_argv(const char *command, const char *want)
{
	char **argv = child_argv(command), text[256] = "";

	for (char **arg = argv; *arg; arg++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", arg == argv ? "" : "|", *arg);
	EXPECT_STR(text, want);
	child_argv_free(argv);
}

static void check_argv(void)
{
	expect_argv("ls -l /tmp", "ls|-l|/tmp");
	expect_argv("  ls \t x ", "ls|x");
	expect_argv("", "");
	// One simple command keeps its pid: the shell is replaced by it.
	expect_argv("ls '*'", "sh|-c|exec ls '*'");
	expect_argv("ls >out", "sh|-c|exec ls >out");
	expect_argv("a; b", "sh|-c|a; b");
	expect_argv("a | b", "sh|-c|a | b");
	expect_argv("A=1 b", "sh|-c|A=1 b");
	expect_argv("cd /tmp", "sh|-c|cd /tmp");
	expect_argv("if true", "sh|-c|if true");
	expect_argv("iffy x", "iffy|x");
	expect_argv("sh -c 'a; b'", "sh|-c|exec sh -c 'a; b'");
	expect_argv("sh -c \"a; \\\"b\\\" $c\" \\; x\\'", "sh|-c|exec sh -c \"a; \\\"b\\\" $c\" \\; x\\'");
	expect_argv("sh -c 'a'; b", "sh|-c|sh -c 'a'; b");
	expect_argv("echo \"$(a; b)\"", "sh|-c|echo \"$(a; b)\"");
	expect_argv("sh -c 'a", "sh|-c|sh -c 'a");
}

static int run_to_end(const char *command)
{
	struct pollfd poll_fd = { .events = POLLIN };
	struct child child;
	sigset_t none;

	sigemptyset(&none);
	EXPECT(!child_spawn(command, &none, &child));
	poll_fd.fd = child.pidfd;
	EXPECT_NUM(poll(&poll_fd, 1, 50), 0); // it waits to be released
	EXPECT(!child_release(&child, command));
	EXPECT_NUM(poll(&poll_fd, 1, 10000), 1);
	child_reap(&child);
	EXPECT(child.ended);
	child_deinit(&child);
	return child.status;
}

static void check_missing(void)
{
	struct child child;
	struct sp_err *err;
	sigset_t none;

	sigemptyset(&none);
	EXPECT(!child_spawn("/no/such/command now", &none, &child));
	err = child_release(&child, "/no/such/command now");
	EXPECT(err && err->code == SP_ERR_NOT_FOUND);
	EXPECT_HAS(err ? err->message : "", "/no/such/command now");
	sp_err_free(err);
	child_deinit(&child);
}

static void check_stop(void)
{
	struct child child;
	sigset_t none;

	sigemptyset(&none);
	EXPECT(!child_spawn("sleep 100", &none, &child));
	EXPECT(!child_release(&child, "sleep 100"));
	child_stop(&child, 5000);
	EXPECT(child.ended && WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGTERM);
	child_deinit(&child);
	// Never released: it does not run its command.
	EXPECT(!child_spawn("touch released", &none, &child));
	child_deinit(&child);
	EXPECT(child.ended && access("released", F_OK));
	// One that does not want to end.
	EXPECT(!child_spawn("trap '' TERM; sleep 100", &none, &child));
	EXPECT(!child_release(&child, "trap"));
	usleep(200000);
	child_stop(&child, 100);
	EXPECT(WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGKILL);
	child_deinit(&child);
}

int main(void)
{
	check_argv();
	EXPECT_NUM(run_to_end("true"), 0);
	EXPECT_NUM(WEXITSTATUS(run_to_end("exit 3")), 3);
	EXPECT_NUM(WTERMSIG(run_to_end("kill -9 $$")), 9);
	check_missing();
	check_stop();
	return expect_status();
}
