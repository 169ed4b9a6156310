// SPDX-License-Identifier: GPL-2.0-or-later
// A function that is left by longjmp() twice, and then returns.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;

__attribute__((noinline)) int leap(int n)
{
	if (n < 2)
		longjmp(back, n + 1);
	return n;
}

int main(void)
{
	volatile int n = 0;

	setjmp(back);
	printf("%d\n", leap(n++));
	return 0;
}
