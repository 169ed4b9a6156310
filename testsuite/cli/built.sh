# SPDX-License-Identifier: GPL-2.0-or-later
# Programs built in other ways: for musl, static and not, static and position-independent; and a line of which a loop that is unrolled has
# several copies.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
command -v gcc >/dev/null || skip "needs gcc"
cat >sum.c <<'C'
#include <stdio.h>
__attribute__((noipa)) int add(int a, int b) { return a + b; }
__attribute__((noipa)) int sum(const int *v)
{
	int s = 0;
#pragma GCC unroll 4
	for (int i = 0; i < 8; i++)
		s = add(s, v[i]);
	return s;
}
int main(void)
{
	int a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	printf("%d\n", sum(a));
	return 0;
}
C
made=
while read -r name compiler options; do
	command -v $compiler >/dev/null && $compiler -g -O2 $options -o $name sum.c 2>/dev/null || continue
	made="$made $name"
	expect 0 timeout 150 "$SPILE" --engine="$engine" -o events -c ./$name -e '
global n
probe process.statement("sum@sum.c:8") { n++ }
probe process.function("add").return { if ($return == 36) printf("%d=%d+%d %s\n", $return, $a, @entry($b), usymname(uaddr())) }
probe process.end { println(n) }'
	is 36
	mv events out
	is '36=28+8 sum
8'
done <<'X'
plain gcc
static gcc -static
pie gcc -static-pie
musl musl-gcc
bare musl-gcc -static
X
[ "$made" ] || fail "none could be made"
