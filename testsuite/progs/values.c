// SPDX-License-Identifier: GPL-2.0-or-later
// Prints what it passes: numbers of every width and sign, bit-fields, nested and anonymous members, pointers, recursion.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define KEPT __attribute__((noipa)) // a compiler that changes the signature leaves nothing to compare

typedef unsigned long base_t;
typedef const base_t const_t;

enum signed_enum { LOW = -3, HIGH = 7 };
enum unsigned_enum { ONE = 1, TOP = 0x80000000u };

struct bits {
	int s3 : 3;
	unsigned u3 : 3;
	int s7 : 7;
	long s40 : 40;
	unsigned long u23 : 23;
	bool flag : 1;
	signed char c4 : 4;
	unsigned char d4 : 4;
	unsigned long u63 : 63;
	long s1 : 1;
};

struct inner {
	int x;
	union {
		int i;
		short s;
		unsigned char bytes[4];
	} u;
	struct {
		int anonymous;
		union {
			long deep;
			char text[8];
		};
	};
};

struct outer {
	signed char sc;
	unsigned char uc;
	short ss;
	unsigned short us;
	int si;
	unsigned ui;
	long sl;
	unsigned long ul;
	bool flag;
	enum signed_enum se;
	enum unsigned_enum ue;
	const_t typedefs;
	int8_t i8;
	int64_t i64;
	const char *string;
	char array[16];
	int numbers[4];
	int matrix[2][3];
	struct inner in;
	struct inner *pin;
	struct inner ain[2];
	struct inner *apin[2];
	struct bits bits;
	int **pp;
	struct outer *self;
	volatile int vi;
};

KEPT long scalars(signed char sc, unsigned char uc, short ss, unsigned short us, int si, unsigned ui, long sl,
		  unsigned long ul, bool flag, enum signed_enum se, enum unsigned_enum ue)
{
	printf("scalars %d %d %d %d %d %u %ld %lu %d %d %u\n", sc, uc, ss, us, si, ui, sl, ul, flag, se, ue);
	return sl;
}

KEPT int members(struct outer *o)
{
	printf("widths %d %d %d %d %d %u %ld %lu\n", o->sc, o->uc, o->ss, o->us, o->si, o->ui, o->sl, o->ul);
	printf("others %d %d %u %lu %d %ld %s %s\n", o->flag, o->se, o->ue, o->typedefs, o->i8, o->i64, o->string,
	       o->array);
	printf("arrays %d %d %d %d %d\n", o->numbers[1], o->numbers[3], o->matrix[0][2], o->matrix[1][0], o->matrix[1][2]);
	printf("nested %d %d %d %d %d %ld %d %d\n", o->in.x, o->in.u.i, o->in.u.s, o->in.u.bytes[1], o->in.anonymous,
	       o->in.deep, o->pin->x, o->pin->text[2]);
	printf("element %d %d %d %d\n", o->ain[1].x, o->ain[1].anonymous, o->apin[1]->x, o->apin[0]->u.bytes[3]);
	printf("bits %d %u %d %ld %u %d %d %d %lu %d\n", o->bits.s3, o->bits.u3, o->bits.s7, (long)o->bits.s40,
	       (unsigned)o->bits.u23, o->bits.flag, o->bits.c4, o->bits.d4, (unsigned long)o->bits.u63,
	       (int)o->bits.s1);
	printf("pointers %d %p %d %d\n", **o->pp, (void *)o->self, o->self->self->si, o->vi);
	return -o->si;
}

KEPT signed char as_char(int x) { return (signed char)x; }
KEPT unsigned char as_byte(int x) { return (unsigned char)x; }
KEPT short as_short(int x) { return (short)x; }
KEPT unsigned as_unsigned(int x) { return (unsigned)x; }
KEPT unsigned long as_long(long x) { return (unsigned long)x; }
KEPT bool as_bool(int x) { return x > 0; }
KEPT enum signed_enum as_enum(int x) { return x > 0 ? HIGH : LOW; }

KEPT static int factorial(int n)
{
	int result = n > 1 ? n * factorial(n - 1) : 1;

	printf("factorial(%d)=%d\n", n, result);
	return result;
}

int main(void)
{
	static int n = -42;
	static int *pn = &n;
	static struct inner first = { -5, { .i = -559038737 }, { 77, { .deep = -1 } } };
	static struct inner second = { 6, { .i = 0x01020304 }, { -78, { .deep = 0x4142434445464748 } } };
	static struct outer o = {
		-7, 249, -30000, 65000, -2000000000, 4000000000u, INT64_MIN + 1, 18000000000000000000u, true, LOW, TOP,
		(base_t)1 << 63, INT8_MIN, INT64_MIN, "a string", "fifteen chars..", { 1, -2, 3, -4 },
		{ { 1, 2, 3 }, { -4, -5, -6 } }, { -5, { .i = -559038737 }, { 77, { .deep = -1 } } }, &second,
		{ { 0 }, { 6, { 0 }, { -78, { 0 } } } }, { &first, &second },
		{ -4, 5, -64, -549755813888, 8388607, true, -8, 15, INT64_MAX, -1 }, &pn, &o, -9 };

	scalars(-7, 249, -30000, 65000, -2000000000, 4000000000u, INT64_MIN + 1, 18000000000000000000u, true, LOW, TOP);
	scalars(127, 0, 32767, 1, 2147483647, 0, 1, 1, false, HIGH, ONE);
	members(&o);
	printf("%d\n", as_char(200));
	printf("%d\n", as_byte(-1));
	printf("%d\n", as_short(40000));
	printf("%u\n", as_unsigned(-1));
	printf("%lu\n", as_long(-1));
	printf("%d\n", as_bool(1));
	printf("%d\n", as_enum(0));
	factorial(6);
	return 0;
}
