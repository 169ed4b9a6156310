// SPDX-License-Identifier: GPL-2.0-or-later
// threads N: four threads; each calls step() N times, with the numbers 0 to N - 1.
#include <pthread.h>
#include <stdlib.h>

static long rounds;

__attribute__((noipa)) void step(long number)
{
	__asm__ volatile("" ::"r"(number));
}

static void *take_steps(void *arg)
{
	for (long i = 0; i < rounds; i++)
		step(i);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	rounds = argc > 1 ? atol(argv[1]) : 1;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, take_steps, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
