// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that are called from several places, on several ways.
static volatile int sink;

__attribute__((noipa)) int last(int x)
{
	sink = x;
	return x * 3;
}

__attribute__((noipa)) int middle(int x)
{
	int result = last(x + 1);

	sink = result;
	return result + 1;
}

static inline __attribute__((always_inline)) int inlined(int x)
{
	int result = last(x + 50);

	sink = result;
	return result;
}

__attribute__((noipa)) int first(int x)
{
	int a = middle(x), b;

	sink = a;
	b = middle(x + 10);
	return a + b + inlined(x) + sink;
}

__attribute__((noipa)) int other(int x)
{
	int result = middle(x + 100) + last(x + 200);

	return result + sink;
}

__attribute__((noipa)) int jumps(int x)
{
	return middle(x + 1000);
}

__attribute__((noipa)) int through(int (*f)(int), int x)
{
	return f(x) + sink;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 2; i++)
		sum += first(i) + other(i) + jumps(i) + through(last, 300 + i);
	return sum == 0;
}
