// SPDX-License-Identifier: GPL-2.0-or-later
// Calls tick(), tock(), tick(), and each time a system call of its own: what a body of metamorph hangs on.
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline, noclone)) void tick(void)
{
	void *volatile at = &&called; // it is kept

called:
	(void)at;
	syscall(SYS_getppid);
}

__attribute__((noinline, noclone)) void tock(void)
{
	void *volatile at = &&called; // it is kept

called:
	(void)at;
	syscall(SYS_getpgrp);
}

int main(void)
{
	tick();
	tock();
	tick();
	return 0;
}
