// SPDX-License-Identifier: GPL-2.0-or-later
// What is made apart is made to its end when the process that asked for it is killed. What is closed apart is told of while it takes long.
#define _GNU_SOURCE // syscall
#include "runtime/attach/attach_apart.h"

#include "expect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
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

static int killed(void *ctx SP_UNUSED)
{
	kill(getpid(), SIGKILL);
	return 5;
}

static void test_result(void)
{
	char null[] = "/dev/null", none[] = "/dev/null/none";
	int fd = attach_apart_make(open_file, null, -1);

	EXPECT(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	close(fd);
	EXPECT_NUM(attach_apart_make(open_file, none, -1), -1);
	EXPECT_NUM(errno, ENOTDIR);
	EXPECT(waitpid(-1, NULL, __WALL) < 0); // no process is left
	errno = 0;
	EXPECT_NUM(attach_apart_make(killed, NULL, -3), -3);
	EXPECT_NUM(errno, EINTR);
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
		attach_apart_make(slow, &pipes, -1);
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

// The time of day as it is before somebody sets it back by an hour: what waits for a time of day then waits for an hour.
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int error = (int)syscall(SYS_clock_gettime, clock, ret);

	ret->tv_sec += clock == CLOCK_REALTIME ? 3600 : 0;
	return error;
}

// A connection that is closed when the other end has read all, or after a minute.
static void connect_slowly(int ends[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct linger linger = { .l_onoff = 1, .l_linger = 60 };
	socklen_t size = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	static const char bytes[65536];

	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(server, (struct sockaddr *)&address, size) || listen(server, 1) || getsockname(server, (struct sockaddr *)&address, &size) ||
	    connect(ends[0], (struct sockaddr *)&address, size) || (ends[1] = accept(server, NULL, NULL)) < 0 ||
	    setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) || ioctl(ends[0], FIONBIO, &on))
		abort();
	while (write(ends[0], bytes, sizeof(bytes)) > 0)
		;
	on = 0;
	ioctl(ends[0], FIONBIO, &on);
	close(server);
}

struct reader {
	int fd;
	size_t n_told, n_left;
};

static void read_all(void *ctx, size_t n_left)
{
	struct reader *reader = ctx;
	static char bytes[65536];

	if (reader->n_told++)
		return;
	reader->n_left = n_left;
	while (read(reader->fd, bytes, sizeof(bytes)) > 0)
		;
}

static void test_slow_close(void)
{
	struct reader reader = { .n_told = 0 };
	int ends[2];

	connect_slowly(ends);
	reader.fd = ends[1];
	attach_apart_close(ends, 1, false, read_all, &reader);
	EXPECT(reader.n_told > 0);
	EXPECT_NUM(reader.n_left, 1);
	close(ends[1]);
}

int main(void)
{
	test_slow_close();
	test_result();
	test_killed();
	return expect_status();
}
