# SPDX-License-Identifier: GPL-2.0-or-later
# gcc makes a copy of inlined code for each way that leads to it, and tells of one address where it is entered.
. "$SUITE/lib.sh"
cat >p.c <<'E'
// On each way through use() it is known whether what clamp() gets is below 0.
volatile int sink;
static inline int clamp(int small)
{
	sink++;
	if (small < 0)
		return 0;
	for (int i = 0; i < (small & 7); i++)
		sink += i;
	return small;
}
__attribute__((noipa)) int use(int a)
{
	int b = a + 1;
	if (a < 0) {
		sink = 3;
		b = -2;
	} else
		sink += 2;
	return clamp(b) + sink;
}
// A copy in itself, as it calls itself.
static inline int down(int n)
{
	sink++;
	return n < 0 ? 0 : n ? down(n - 1) * sink + n : sink;
}
// All rows of what a macro makes have one place.
#define MAKE(name) static inline int name(int n) { sink++; for (int i = 0; i < (n & 7); i++) { sink += i; if (sink == 12345) sink--; } return n; }
MAKE(made)
// Where the loop begins, nothing is left of its first round, but the first instruction of the call behind it.
static inline __attribute__((always_inline)) int mixed(int a, int b) { sink = a; sink = b; return a * b + 1; }
__attribute__((noipa)) int unrolled(int b)
{
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += mixed(i, b);
	return sum + mixed(7, b);
}
int main(int argc, char **argv)
{
	for (int i = -4; i < 6; i++)
		sink += use(i) + !argv + made(i);
	sink += down(argc + 9) + unrolled(argc);
	return 0;
}
E
gcc -g -O2 -o p p.c || fail "gcc"
nm p | grep -q ' clamp$' && skip "this gcc does not inline clamp()"
for engine in kernel user; do
	[ $engine = user ] || [ "$(id -u)" = 0 ] || continue
	expect 0 "$SPILE" --engine=$engine -c ./p -e 'global n, below, called, downs, made, mixed
	probe process("./p").function("clamp") { n++; below += $small < 0 }
	probe process("./p").function("use").callee("clamp") { called++ }
	probe process("./p").function("down") { downs++ }
	probe process("./p").function("made") { made++ }
	probe process("./p").function("mixed") { mixed++ }
	probe end { println(n, " ", below, " ", called, " ", downs, " ", made, " ", mixed) }'
	is "10 4 10 11 10 4"
done

# Of a copy whose first instructions stand elsewhere only an empty range is left where it is entered.
cat >q.c <<'E'
#include <stdio.h>
volatile long calls[2];
static inline __attribute__((always_inline)) int scale(int x) { calls[0]++; return x * 3; }
static inline __attribute__((always_inline)) int most(int x, int y) { calls[1]++; if (x > y) return x; return y; }
__attribute__((noipa)) int use(int n)
{
	int sum = 0;
	for (int i = 0; i < 4; i++)
		sum += scale(i) + most(i, n);
	return sum + scale(7);
}
int main(void)
{
	int sum = use(0) + use(9);
	printf("%ld %ld\n", calls[0], calls[1]);
	return !sum;
}
E
gcc -g -O2 -funroll-loops -o q q.c || fail "gcc -funroll-loops"
for engine in kernel user; do
	[ $engine = user ] || [ "$(id -u)" = 0 ] || continue
	expect 0 "$SPILE" --engine=$engine -c ./q -e 'global scales, mosts
	probe process("./q").function("scale") { scales++ }
	probe process("./q").function("most") { mosts++ }
	probe end { println(scales, " ", mosts) }'
	is "10 8
10 8"
done
