// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // siginfo_t, PATH_MAX
#include "compiler/cli/cut_off.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What is called here is safe in a handler of signals, of any thread.

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return; // nobody listens
}

// A line of /proc/PID/maps: "from-to permissions offset device inode path". The path is kept, without control characters.
static bool is_at(char *line, uintptr_t address, const char **path_ret)
{
	char *end, *path = strchr(line, '/');
	uintptr_t from = strtoul(line, &end, 16);

	if (!path || address < from || address >= strtoul(end + 1, NULL, 16))
		return false;
	for (char *c = path; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '?';
	*path_ret = path;
	return true;
}

static const char *file_at(uintptr_t address, char *line, size_t size)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const char *path = NULL;
	size_t n = 0;

	while (!path && fd >= 0 && read(fd, line + n, 1) == 1) {
		if (line[n] != '\n') {
			n += n + 2 < size;
			continue;
		}
		line[n] = '\0';
		n = 0;
		is_at(line, address, &path);
	}
	close(fd);
	return path;
}

static void on_bus(int signal_number, siginfo_t *info, void *ctx)
{
	char line[PATH_MAX + 128];
	const char *path = info->si_code == BUS_ADRERR ? file_at((uintptr_t)info->si_addr, line, sizeof(line)) : NULL;

	(void)ctx;
	if (!path) {
		signal(signal_number, SIG_DFL); // a fault of ours: it comes again
		return;
	}
	say("ERROR: ");
	say(path);
	say(" became shorter while it was read: try again\n");
	_exit(1);
}

void cut_off_watch(void)
{
	struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}
