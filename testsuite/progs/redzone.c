// SPDX-License-Identifier: GPL-2.0-or-later
// A function that keeps its variables below the stack pointer, and has nops of five bytes: its first instruction, and one behind that.
// Says how many of 1,000 calls had a wrong result.
#include <stdio.h>

#if defined(__x86_64__)
long thrice(long a);

__asm__(".text\n.globl thrice\n.type thrice, @function\n"
	"thrice:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	mov %rdi, -8(%rsp)\n"
	"	mov %rdi, -16(%rsp)\n"
	"	mov %rdi, -24(%rsp)\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n" // at 20
	"	mov -8(%rsp), %rax\n"
	"	add -16(%rsp), %rax\n"
	"	add -24(%rsp), %rax\n"
	"	ret\n"
	".size thrice, . - thrice\n");
#else
__attribute__((noipa)) long thrice(long a)
{
	return 3 * a;
}
#endif

int main(void)
{
	int n_wrong = 0;

	for (long i = 0; i < 1000; i++)
		n_wrong += thrice(i) != 3 * i;
	printf("%d wrong\n", n_wrong);
	return 0;
}
