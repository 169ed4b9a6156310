// SPDX-License-Identifier: GPL-2.0-or-later
// A program with things to look at: calls [N] makes N rounds; calls N threads, calls N forks make them there.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noipa)) // the callee is not looked into: what it gets is really there

enum colour { RED = 1, GREEN, BLUE };

struct inner {
	short small;
	unsigned char bytes[4];
};

struct outer {
	const char *name;
	struct inner in;
	struct inner *ref;
	union {
		int as_int;
		unsigned char as_bytes[4];
	};
	unsigned low : 3;
	signed mid : 5;
	unsigned high : 24;
	enum colour colour;
	struct outer *next;
};

volatile int sink;

NOINLINE int add(int a, long b)
{
	sink = a;
	return a + (int)b;
}

NOINLINE long look(const struct outer *o, unsigned char u, signed char s)
{
	sink = o->in.small + u + s;
	return o->ref->small;
}

NOINLINE const char *text(const char *s)
{
	sink = s[0];
	return s + 1;
}

static void round_trip(int i)
{
	struct inner far = { .small = (short)(-100 - i), .bytes = { 9, 8, 7, 6 } };
	struct outer second = { .name = "second", .ref = &far };
	struct outer first = {
		.name = "first", .in = { (short)i, { 1, 2, 3, 4 } }, .ref = &far, .as_int = 0x01020304,
		.low = 5, .mid = -3, .high = 0xabcdef, .colour = BLUE, .next = &second,
	};

	add(i, 1000);
	look(&first, 200, -2);
	text("hello");
}

static void *thread(void *arg)
{
	round_trip((int)(intptr_t)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	const char *how = argc > 2 ? argv[2] : "";

	for (int i = 0; i < n; i++) {
		if (strcmp(how, "threads") == 0) {
			pthread_t t;
			if (pthread_create(&t, NULL, thread, (void *)(intptr_t)i) == 0)
				pthread_join(t, NULL);
		} else if (strcmp(how, "forks") == 0) {
			pid_t child = fork();
			if (child == 0) {
				round_trip(i);
				_exit(0);
			}
			waitpid(child, NULL, 0);
		} else if (strcmp(how, "slowly") == 0) {
			round_trip(i);
			usleep(100000);
		} else {
			round_trip(i);
		}
	}
	return 0;
}
