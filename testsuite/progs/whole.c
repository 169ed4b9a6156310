// SPDX-License-Identifier: GPL-2.0-or-later
// Values of every shape, for what prints them whole ($x$, $$vars). Its argument is a path that does not matter.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline, noclone))

enum color { RED, GREEN = 5, BLUE };
enum level { LOW = -1, HIGH = 1 };

struct node {
	int n;
	const char *text;
	struct node *next;
};

struct flags {
	unsigned low : 3;
	int middle : 7;
	unsigned long high : 40;
};

union word {
	uint32_t whole;
	char bytes[4];
	float number;
};

struct all {
	bool yes;
	char letter;
	signed char tab;
	short minus;
	unsigned int most;
	long long least;
	enum color color;
	enum level level;
	enum color other; // no name has its value
	struct flags flags;
	struct node node;
	void *nothing;
	int (*function)(int);
	char name[8];
	char full[3]; // without a NUL
	int numbers[4];
	struct node nodes[2];
	int square[2][2];
	union word word;
	union {
		int either;
		short or;
	};
	struct {
		int both, and;
	};
	float single;
	double twice;
	float odd[6];
	volatile uint16_t last;
};

static volatile long sink;

static struct node end = { 2, "the \"end\"\n", NULL };
static struct all all = {
	.yes = true, .letter = 'x', .tab = '\t', .minus = -3, .most = 4000000000, .least = -9000000000000000000,
	.color = BLUE, .level = LOW, .other = 77, .flags = { 5, -60, 1099511627775 },
	.node = { 1, "one", NULL }, .name = "spile", .full = { 'a', 'b', 'c' }, .numbers = { 10, 20, 30, 40 },
	.nodes = { { 3, "three", NULL }, { 4, NULL, NULL } }, .square = { { 1, 2 }, { 3, 4 } }, .word = { 0x40490fdb },
	.either = 65537, .both = 6, .and = 7, .single = 0.1f, .twice = 2.5e-7,
	.odd = { 1e-42f, -0.0f, __builtin_inff(), 1.17549435e-38f, -1.4e-45f, 3.4028235e38f }, .last = 65535,
};

NOINLINE static int take(struct all *all, struct all *bad, enum color color, const char *text, char letter, int *number)
{
	struct node local = { *number, text, &end };

	__asm__ volatile("" : : "r"(&local), "r"(bad), "r"(letter), "r"(color) : "memory");
	return all->minus + local.n;
}

NOINLINE static struct node give(int n)
{
	struct node big = { n, end.text, NULL };

	__asm__ volatile("" : "+m"(big));
	return big;
}

struct small {
	short a;
	char b[3];
	bool c;
};

NOINLINE static struct small give_small(int n)
{
	struct small small = { (short)n, "ok", true };

	__asm__ volatile("" : "+m"(small));
	return small;
}

NOINLINE static union word give_union(uint32_t n)
{
	union word word = { n };

	__asm__ volatile("" : "+m"(word));
	return word;
}

NOINLINE static bool give_bool(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n & 1;
}

NOINLINE static signed char give_char(int n)
{
	__asm__ volatile("" : "+r"(n));
	return (signed char)n;
}

NOINLINE static double give_double(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n / 4.0;
}

NOINLINE static void give_nothing(int n)
{
	__asm__ volatile("" : : "r"(n));
}

static int depth(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

// It calls itself before it returns.
NOINLINE static long nest(int n, const char *text)
{
	long below = n ? nest(n - 1, text + 1) : 0;

	__asm__ volatile("" : "+r"(below) : : "memory");
	return below + depth(n);
}

int main(void)
{
	int number = 42;

	all.node.next = &end;
	all.function = depth;
	printf("%s%s%s\n", end.text, all.node.text, all.nodes[0].text); // so that the texts are in memory
	take(&all, (struct all *)16, GREEN, "hello", 'q', &number);
	give(8);
	give_small(-9);
	give_union(0x41424344);
	sink = give_bool(3);
	sink = give_char(-2);
	sink = (long)give_double(10);
	give_nothing(1);
	nest(2, "abc");
	return 0;
}
