// SPDX-License-Identifier: GPL-2.0-or-later
// A program with marks, as sys/sdt.h makes them (which not every machine has): plain ones, one with a semaphore, one that
// stands at two places.
#include <stdint.h>
#include <stdio.h>

#include "mark.h"

extern uint16_t guarded_semaphore;
uint16_t guarded_semaphore __attribute__((section(".probes"), used, visibility("hidden")));

static long table[4] = { 10, 20, 30, 40 };

__attribute__((noipa)) static void step(int i, const char *text)
{
	volatile char first = text[0]; // what no page is there for yet, a probe cannot read
	signed char small = (signed char)(-3 - i);
	unsigned short wide = (unsigned short)(65000 + i);

	(void)first;
	MARK("prog", "step", "0", "-4@%0 -1@%1 2@%2 8@%3 -8@%4", "nor"(i), "nor"(small), "nor"(wide), "nor"(text), "nor"(-5L));
	MARK("prog", "element", "0", "-8@(%0,%1,8) -8@8(%0) 4@$7", "r"(table), "r"((long)i));
	if (guarded_semaphore)
		MARK("prog", "guarded", "guarded_semaphore", "-4@%0", "nor"(i * 100));
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		step(i, i & 1 ? "odd" : "even");
	MARK("other", "step", "0", "");
	printf("semaphore %d\n", guarded_semaphore);
	return 0;
}
