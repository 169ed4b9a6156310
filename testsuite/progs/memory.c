// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that is mapped, grown, touched, shared and given back, with numbers that a test knows: for the probe family vm.
// `memory eat` takes more than there is.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void eat(void)
{
	for (;;)
		memset(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 1 << 20);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		eat();
	volatile char *at = mmap((void *)0x7100000000, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char first = at[0]; // the page of zeros
	at[0] = 1;
	at[4096] = 1;
	if (fork() == 0) {
		at[4096] = first + 2;
		_exit(0);
	}
	wait(NULL);
	munmap((void *)at, 5 * 4096);
	return sbrk(12 * 4096) == (void *)-1;
}
