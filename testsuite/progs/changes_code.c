// SPDX-License-Identifier: GPL-2.0-or-later
// Changes what one of its instructions says behind the first byte, and runs copies of its code.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE 4096

int number(void);
__asm__(".text\n"
	".p2align 12\n"
	".globl number\n"
	".type number, @function\n"
	"number:\n"
	"	movl $1, %eax\n"
	"	addl $10, %eax\n"
	"	ret\n"
	".size number, . - number\n"
	".globl longer\n"
	".type longer, @function\n"
	"longer:\n"
	"	pushq %rbp\n"
	"	movl %edi, %eax\n"
	"	imull $7, %eax, %eax\n"
	"	popq %rbp\n"
	"	ret\n"
	".size longer, . - longer\n"
	".p2align 12\n");
int longer(int n);

static void *copy(void *old)
{
	uint8_t *to = old ? mremap(old, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) :
			    mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (to == MAP_FAILED)
		abort();
	if (!old)
		memcpy(to, (void *)number, SIZE);
	return to;
}

int main(void)
{
	volatile int32_t *operand = (int32_t *)((uint8_t *)number + 1);
	int sum = 0;
	uint8_t *other;

	if (mprotect((void *)number, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC))
		return 1;
	for (int i = 0; i < 5; i++) {
		*operand = i;
		printf("%d ", number());
		sum += longer(i);
	}
	other = copy(NULL);
	for (int i = 0; i < 3; i++) {
		int (*volatile f)(void) = (int (*)(void))other;
		int (*volatile g)(int) = (int (*)(int))(other + ((uint8_t *)longer - (uint8_t *)number));

		sum += f() + g(i);
		other = copy(other);
	}
	printf("%d\n", sum);
	return 0;
}
