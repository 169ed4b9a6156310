// SPDX-License-Identifier: GPL-2.0-or-later
// Every shape of data that an access path can lead through. Run without arguments it calls each function once, visit()
// four times.
#include <stdio.h>

union number {
	int i;
	char bytes[8];
};

struct inner {
	int first;
	struct {
		int anonymous;
		unsigned three : 3, seven : 7;
		int five : 5;
	};
	union number number;
	char name[16];
};

struct node {
	struct node *next;
	struct inner in;
	long array[4];
	double real;
	void *nothing;
	int matrix[2][3];
};

struct __attribute__((packed)) packed {
	unsigned short head;
	unsigned long odd : 5;
	unsigned long wide : 62;
	unsigned long rest : 45;
};

struct opaque;

enum color { RED, GREEN };

static long total;
volatile long calls;

__attribute__((noinline, optimize("no-optimize-sibling-calls"))) int visit(struct node *node, int depth, char letter, unsigned short small, enum color color,
				    struct opaque *opaque)
{
	calls++;
	total += node->in.first;
	if (depth > 0)
		return visit(node->next, depth - 1, letter, small, color, opaque) + 1;
	return letter + small + (int)color + (opaque != NULL);
}

static inline __attribute__((always_inline)) int tripled(int number)
{
	calls += number;
	return number * 3;
}

__attribute__((noinline)) struct inner by_value(struct inner in)
{
	calls++;
	in.first++;
	return in;
}

__attribute__((noinline)) double real(double x)
{
	calls++;
	return x * 1.5;
}

__attribute__((noinline)) void nothing(struct packed *packed)
{
	calls += packed->head;
}

int main(int argc, char **argv)
{
	struct node node = { .in = { .first = 1, .anonymous = -2, .three = 5, .seven = 100, .five = -7, .name = "hello" },
			     .array = { 10, 20, 30, 40 },
			     .matrix = { { 1, 2, 3 }, { 4, 5, 6 } } };
	struct packed packed = { .head = 3 };
	int sum;
	(void)argv;
	node.next = &node;
	sum = visit(&node, 3, 'x', 65535, GREEN, NULL);
	sum += tripled(argc);
	node.in = by_value(node.in);
	sum += (int)real(argc);
	nothing(&packed);
	printf("%d %ld\n", sum, total);
	return 0;
}
