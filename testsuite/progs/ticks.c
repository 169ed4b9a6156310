// SPDX-License-Identifier: GPL-2.0-or-later
// Calls tick(), tock(), tick(), and each time a system call of its own: what a body of metamorph hangs on.
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline, noclone)) void tick(void)
{
	syscall(SYS_getppid);
}

__attribute__((noinline, noclone)) void tock(void)
{
	syscall(SYS_getpgrp);
}

int main(void)
{
	tick();
	tock();
	tick();
	return 0;
}
