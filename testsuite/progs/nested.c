// SPDX-License-Identifier: GPL-2.0-or-later
// nested N: calls down() N times, each from the one before, and before and after that, flat() once.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline, noclone)) int down(int n)
{
	int below = n > 1 ? down(n - 1) : 0;

	__asm__ volatile("");
	return below + 1;
}

__attribute__((noinline, noclone)) int flat(int n)
{
	__asm__ volatile("");
	return n;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	return flat(n) + flat(down(n)) == 2 * n ? 0 : 1;
}
