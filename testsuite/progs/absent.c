// SPDX-License-Identifier: GPL-2.0-or-later
// Passes addresses of memory that it has never touched: two pages of the file that it is given, and zeros.
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>

#define PAGES 8192

__attribute__((noinline)) static int look(const char *text, long *numbers)
{
	__asm__ volatile("" : : "r"(text), "r"(numbers) : "memory");
	return 0;
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDONLY);

	for (int i = 0; i < 2; i++) {
		char *text = mmap(NULL, PAGES, PROT_READ, MAP_PRIVATE, fd, 0);
		long *numbers = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (text == MAP_FAILED || numbers == MAP_FAILED)
			return 1;
		look(text + (i ? 4090 : 100), numbers + (i ? 511 : 0)); // the second text and its page's neighbour
	}
	return 0;
}
