// SPDX-License-Identifier: GPL-2.0-or-later
// What programs of 32 and of 64 bits do in different ways, with the same results: pointers, arguments, structures and wide numbers
// as results, marks, system calls.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mark.h"

#ifdef __clang__
#define NOIPA __attribute__((noinline))
#else
#define NOIPA __attribute__((noipa))
#endif

struct node {
	int32_t value;
	struct node *next;
	const char *name;
	uint64_t wide;
};

struct pair {
	int32_t a, b;
};

struct big {
	char text[16];
	struct node *node;
	double real;
};

static int counter = -3;
struct node *list;

NOIPA int visit(struct node *node, int depth, long long wide, const char *text)
{
	counter += node->value + depth;
	return counter + (int)wide + (int)strlen(text);
}

NOIPA long long widen(int low, int high)
{
	return (long long)high << 32 | (unsigned)low;
}

NOIPA struct pair make_pair(int a, int b)
{
	return (struct pair){ a, b };
}

NOIPA struct big make_big(struct node *node)
{
	struct big big = { "made", node, 2.5 };

	return big;
}

NOIPA struct node *find(struct node *from, int value)
{
	while (from && from->value != value)
		from = from->next;
	return from;
}

NOIPA int by_value(struct big big, char letter, short number)
{
	return big.node->value + letter + number;
}

NOIPA void mark(int number, const char *text, short *shorts)
{
	long which = number & 3;

	MARK("words", "step", "0", "-4@%0 " MARK_POINTER "@%1 -2@%2 -2@(%3,%4,2)", "nor"(number), "nor"(text), "m"(shorts[1]), "r"(shorts), "r"(which));
}

NOIPA unsigned calls(void)
{
	return (unsigned)getppid() + counter;
}

int main(void)
{
	struct node nodes[3] = { { 10, &nodes[1], "ten", 0x1122334455667788 },
				 { -20, &nodes[2], "minus twenty", 7 },
				 { 30, NULL, "thirty", ~UINT64_C(0) } };
	struct big big = { "by value", &nodes[2], -0.25 };
	short shorts[] = { 5, -6, 7 };

	list = nodes;
	for (int i = 0; i < 3; i++)
		counter += *(const volatile char *)nodes[i].name == '!'; // what no page is there for yet, a probe cannot read
	visit(&nodes[0], 1, 5, "first");
	visit(&nodes[1], -2, -6000000000ll, "second");
	if (widen(-1, 7) != 0x7ffffffffll || make_pair(-4, 5).b != 5 || find(nodes, 30) != &nodes[2] || make_big(nodes).real != 2.5)
		return 1;
	by_value(big, 'x', -9);
	mark(2, nodes[1].name, shorts);
	calls();
	return 0;
}
