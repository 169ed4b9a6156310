// SPDX-License-Identifier: GPL-2.0-or-later
// Known system calls: getppid(N) times, and the same number of times in the way of 32-bit programs where that is possible.
// In them getppid() is 64, which for 64-bit programs is semget(), and 110 is iopl(). Then one lseek() in each way.
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
	syscall(SYS_lseek, -1, 77L, SEEK_END);
#if defined(__x86_64__)
	for (int i = 0; i < n; i++) {
		long result;

		__asm__ volatile("int $0x80" : "=a"(result) : "a"(64) : "memory");
		if (result != getppid())
			return 2;
	}
	__asm__ volatile("int $0x80" : : "a"(19), "b"(-1L), "c"(-2L), "d"(SEEK_CUR) : "memory");
#endif
	return 0;
}
