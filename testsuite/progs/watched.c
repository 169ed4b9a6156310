// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that is watched: of the main thread, and of one that it makes. With an argument it begins when a line is read.
#include <pthread.h>
#include <stdio.h>

struct point {
	int x;
	short y;
	long z;
} point;

static int counter = 5;
long *pointer;

static void *work(void *arg)
{
	point.z = 7;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1)
		getchar();
	counter++;
	point.y = 3;
	point.x = 4;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	printf("%d\n", counter);
	return 0;
}
