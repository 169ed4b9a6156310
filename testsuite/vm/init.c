// SPDX-License-Identifier: GPL-2.0-or-later
// The first process of a guest that has nothing but this program, spile-run, and a compiled script: runs spile-run with the arguments
// that the kernel gives it (what stands behind `--` on its command line), says how that ended, and turns the machine off.
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void make(const char *type, const char *path)
{
	mkdir(path, 0755);
	if (mount(type, path, type, 0, NULL))
		perror(path);
}

int main(int argc, char **argv)
{
	int status = -1;
	pid_t child;

	(void)argc;
	make("proc", "/proc");
	make("sysfs", "/sys");
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	argv[0] = "/spile-run";
	child = fork();
	if (child == 0) {
		execv(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	while (child > 0 && wait(&status) != child)
		;
	printf("VM-EXIT:%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	fflush(stdout);
	reboot(RB_POWER_OFF);
	return 1;
}
