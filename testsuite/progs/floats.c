// SPDX-License-Identifier: GPL-2.0-or-later
// Prints what the processor makes of pairs of doubles, by their bits, and of their text. What has no result is printed as nan.
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT __attribute__((noipa))

static double of_bits(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static uint64_t bits_of(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static void show(double d)
{
	if (isnan(d))
		printf(" nan");
	else
		printf(" %" PRIx64, bits_of(d));
}

static void show_rounded(double d, int mode)
{
	fesetround(mode);
	printf(" %ld", fabs(d) < 0x1p63 ? lrint(d) : INT64_MIN);
	fesetround(FE_TONEAREST);
}

KEPT static void calculate(uint64_t a, uint64_t b, const char *text)
{
	double x = of_bits(a), y = of_bits(b), from_long = (double)(int64_t)a;
	uint32_t half = a >> 32;
	float narrow;

	show(x + y);
	show(x - y);
	show(x * y);
	show(x / y);
	show(remainder(x, y));
	show(sqrt(x));
	show(from_long);
	memcpy(&narrow, &half, sizeof(narrow));
	show(narrow);
	printf(" %d%d%d", x == y, x <= y, x < y);
	show_rounded(x, FE_TONEAREST);
	show_rounded(x, FE_TOWARDZERO);
	show_rounded(x, FE_DOWNWARD);
	show_rounded(x, FE_UPWARD);
	show(strtod(text, NULL));
	if (fabs(x) < 0x1p63)
		printf(" %.*f", (int)(a % 17) + 1, x);
	putchar('\n');
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

// A double whose exponent is near that of 1.
static uint64_t near_one(uint64_t random)
{
	return (random & 0x800fffffffffffff) | (990 + (random >> 52) % 80) << 52;
}

int main(int argc, char **argv)
{
	static const uint64_t special[] = {
		0, 1ull << 63, 1, 0x800fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000001, 0x3fe0000000000000,
		0x4340000000000000, 0x43e0000000000000, 0xc3e0000000000000, 0x43dfffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000,
		0xfff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
	};
	unsigned n = sizeof(special) / sizeof(*special), rounds = argc > 1 ? atoi(argv[1]) : 1;
	uint64_t state = 88172645463325252;
	char text[64];

	for (unsigned i = 0; i < n * n; i++) {
		snprintf(text, sizeof(text), "%u.%ue-%u", i, i * 7, i % 12);
		calculate(special[i / n], special[i % n], text);
	}
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t a = next_random(&state), b = next_random(&state), digits = next_random(&state) % 1000000000000000000;

		snprintf(text, sizeof(text), "%s%" PRIu64 "e%d", a & 1 ? "-" : "", digits >> (b & 63) % 60, (int)(a % 37) - 18);
		calculate(a, b, text);
		calculate(near_one(a), near_one(b), text);
		calculate(a & ~0xffffffffull, (a & ~0xffffffffull) ^ (b & 0x0030000000000fff), text);
	}
	return 0;
}
