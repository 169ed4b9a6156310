// SPDX-License-Identifier: GPL-2.0-or-later
// Puts a copy of its code, in memory without a file, in the place of it, as programs do to have that in large pages; says so, and calls it
// until it is ended.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 4096

__attribute__((noipa, aligned(SIZE), section(".copied"))) int add(int x)
{
	return x + 1;
}

__attribute__((aligned(SIZE), section(".copied"), used)) int behind(void)
{
	return 0;
}

int main(void)
{
	void *copy = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	memcpy(copy, (const void *)add, SIZE);
	if (mprotect(copy, SIZE, PROT_READ | PROT_EXEC) ||
	    mremap(copy, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)add) == MAP_FAILED)
		abort();
	for (puts("copied"), fflush(stdout);; usleep(1000))
		sum = add(sum);
}
