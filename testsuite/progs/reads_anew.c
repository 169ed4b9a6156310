// SPDX-License-Identifier: GPL-2.0-or-later
// Calls a function twice, before and behind its code is read anew from its file.
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

__attribute__((noinline, aligned(4096), section(".anew"))) int twice(int x)
{
	return x * 2;
}

__attribute__((aligned(4096), section(".anew"), used)) int behind(void)
{
	return 0;
}

int main(void)
{
	int sum = twice(1);

	madvise((void *)(uintptr_t)twice, 4096, MADV_DONTNEED);
	printf("%d\n", sum + twice(2));
	return 0;
}
