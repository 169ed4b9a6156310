// SPDX-License-Identifier: GPL-2.0-or-later
// A hundred functions. Some of them begin with an instruction that the kernel does not probe, where there is one.
#include <stdio.h>

#define F(n) __attribute__((noinline)) int f##n(int x) { __asm__ volatile(""); return x + 1##n; }
#define G(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
G(0) G(1) G(2) G(3) G(4) G(5) G(6) G(7) G(8) G(9)

int counter;

#ifdef __x86_64__
// A prefix tells.
__attribute__((naked)) void f_locked(void)
{
	__asm__("lock incl counter(%rip); ret");
}

// Nothing but the kernel tells. It is not called.
__attribute__((naked)) void f_halts(void)
{
	__asm__("hlt; ret");
}
#endif

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += f01(i) + f99(i);
#ifdef __x86_64__
	f_locked();
#endif
	printf("%d %d\n", sum, counter);
	fflush(stdout);
	getchar();
	return 0;
}
