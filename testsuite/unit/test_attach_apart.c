// SPDX-License-Identifier: GPL-2.0-or-later
// What is made apart is made to its end when the process that asked for it is killed.
#include "runtime/attach/attach_apart.h"

#include "expect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct pipes {
	int said[2], told[2];
};

static int open_file(void *ctx)
{
	return open(ctx, O_RDONLY | O_CLOEXEC);
}

// Says that it has begun, waits for a byte, and says that it has done.
static int slow(void *ctx)
{
	const struct pipes *pipes = ctx;
	char byte = 'b';

	if (write(pipes->said[1], &byte, 1) != 1 || read(pipes->told[0], &byte, 1) != 1 || write(pipes->said[1], &byte, 1) != 1)
		return -1;
	return 7;
}

static void test_result(void)
{
	char null[] = "/dev/null", none[] = "/dev/null/none";
	int fd = attach_apart_make(open_file, null);

	EXPECT(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	close(fd);
	EXPECT_NUM(attach_apart_make(open_file, none), -1);
	EXPECT_NUM(errno, ENOTDIR);
	EXPECT(waitpid(-1, NULL, __WALL) < 0); // no process is left
}

static void test_killed(void)
{
	struct pipes pipes;
	char byte = 0;
	pid_t pid;

	if (pipe(pipes.said) || pipe(pipes.told))
		abort();
	pid = fork();
	if (pid == 0) {
		close(pipes.said[0]);
		close(pipes.told[1]);
		attach_apart_make(slow, &pipes);
		_exit(0);
	}
	close(pipes.said[1]);
	close(pipes.told[0]);
	EXPECT_NUM(read(pipes.said[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	signal(SIGPIPE, SIG_IGN);
	EXPECT_NUM(write(pipes.told[1], "d", 1), 1);
	EXPECT_NUM(read(pipes.said[0], &byte, 1), 1);
	EXPECT(byte == 'd');
	EXPECT_NUM(read(pipes.said[0], &byte, 1), 0); // and then it ends
}

int main(void)
{
	test_result();
	test_killed();
	return expect_status();
}
