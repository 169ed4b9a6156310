# SPDX-License-Identifier: GPL-2.0-or-later
# A probe at a line of a program, with a local variable that has its value there.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
cat >lines.c <<'C'
#include <stdio.h>

__attribute__((noinline)) static int triangle(int n)
{
	int sum = 0;
	for (int i = 1; i <= n; i++)
		sum += i;
	return sum;
}

int main(void)
{
	return triangle(4) != 10;
}
C
${CC:-cc} -g -O0 -o lines lines.c || skip "no C compiler"
expect 0 "$SPILE" --engine="$engine" -w -c ./lines -e '
probe process("./lines").statement("triangle@lines.c:7") { printf("%d %d, ", $i, $sum) }
probe process("./lines").statement("triangle@lines.c+5") { println($sum, " of ", $n) }'
is '1 0, 2 1, 3 3, 4 6, 10 of 4'
