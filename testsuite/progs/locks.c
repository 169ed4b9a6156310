// SPDX-License-Identifier: GPL-2.0-or-later
// locks: two threads that take one mutex 5 times each and keep it for 10 ms, after main() has had it for 50 ms; 3 pieces of 1000 bytes that are not freed, 2 that are.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void *volatile kept[3];

__attribute__((noipa)) void leak(void)
{
	for (int i = 0; i < 3; i++)
		kept[i] = malloc(1000);
}

void *take(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&mutex);
		usleep(10000);
		pthread_mutex_unlock(&mutex);
		usleep(100);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	leak();
	free(malloc(2000));
	free(calloc(20, 100));
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take, NULL);
	usleep(50000);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
