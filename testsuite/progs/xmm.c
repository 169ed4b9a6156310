// SPDX-License-Identifier: GPL-2.0-or-later
// Values in registers for floating point, alone and in structures, and those that have no width of a number.
#include <stdio.h>
#include <string.h>

#define KEPT __attribute__((noinline))
#define TAKEN(value) __asm__ volatile("" : : "r"(&(value)) : "memory")

typedef float floats __attribute__((vector_size(16)));
typedef int ints __attribute__((vector_size(16)));

struct point {
	double x, y;
};

struct mixed {
	long n;
	float f, g;
};

struct name {
	char text[12];
	int n;
};

struct wide {
	__int128 big;
	unsigned __int128 all;
	long double far;
	float near;
};

static volatile double sink;

KEPT double half(double d, float f, int n)
{
	double result = d / 2 + (double)f * n;

	sink = result;
	return result;
}

KEPT float third(float f)
{
	sink = (double)f;
	return f / 3;
}

KEPT struct point mirror(double x)
{
	return (struct point){ x, -x };
}

KEPT struct mixed mix(int n)
{
	return (struct mixed){ n, (float)n / 4, (float)n * 2 };
}

KEPT struct name call(const char *text)
{
	struct name name = { .n = 7 };

	memcpy(name.text, text, strlen(text));
	return name;
}

KEPT floats twice(floats v)
{
	return v + v;
}

KEPT ints negated(ints v)
{
	return -v;
}

KEPT long double more(long double l)
{
	return l + 0.5L;
}

KEPT __int128 squared(__int128 n)
{
	return n * n;
}

KEPT int measure(const struct wide *wide)
{
	TAKEN(*wide);
	sink = (double)wide->near;
	return (int)sink;
}

int main(void)
{
	struct wide wide = { -5, ~(unsigned __int128)0, 3.25L, 0.1f };

	for (int i = 1; i <= 2; i++) {
		double h = half(i * 1.1, (float)i / 2, i);
		float t = third((float)i);
		struct point p = mirror(i * 2.5);
		struct mixed m = mix(i);
		struct name name = call(i == 1 ? "twelve chars" : "two");
		floats v = twice((floats){ (float)i, 2, 3, 4 });
		ints n = negated((ints){ i, 2, 3, 4 });
		long double l = more(i);
		__int128 s = squared((__int128)-i << 40);

		TAKEN(h);
		TAKEN(t);
		TAKEN(p);
		TAKEN(m);
		TAKEN(name);
		TAKEN(v);
		TAKEN(n);
		TAKEN(l);
		TAKEN(s);
		measure(&wide);
	}
	return 0;
}
