// SPDX-License-Identifier: GPL-2.0-or-later
// Calls its code, moves that elsewhere (mremap(2)), and calls it there; once more with the first place mapped anew.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SIZE 4096

__attribute__((noinline, aligned(SIZE), section(".moved"))) int first(int x)
{
	return x + 1;
}

__attribute__((noinline, section(".moved"))) int second(int x)
{
	return x * 2;
}

__attribute__((aligned(SIZE), section(".moved"), used)) int behind(void)
{
	return 0;
}

static int call_at(uint8_t *page, int (*function)(int), int x)
{
	int (*volatile moved)(int) = (int (*)(int))(page + ((uintptr_t)function - (uintptr_t)first));

	return moved(x);
}

int main(void)
{
	uint8_t *page = (uint8_t *)(uintptr_t)first;
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		uint8_t *to = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		sum += call_at(page, first, i);
		if (i)
			sum += call_at(page, second, i);
		if (mremap(page, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
			abort();
		page = to;
		for (int j = 0; j < 2; j++)
			sum += call_at(page, first, j) + call_at(page, second, j);
	}
	printf("%d\n", sum);
	return 0;
}
