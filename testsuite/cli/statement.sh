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

# By the text of a line. Where the source is not at hand, a folder with it can be named.
text='probe process("./lines").statement("triangle@lines.c;sum += *") { printf("%d ", $i) }'
expect 0 "$SPILE" --engine="$engine" -w -c ./lines -e "$text"
is '1 2 3 4 '
expect 1 "$SPILE" -e 'probe process("./lines").statement("triangle;sum -= i;") { }'
says 'no line of triangle is like that in .*/lines.c'
expect 1 "$SPILE" -e 'probe process("./lines").statement("triangle;triangle(int n)") { }'
says 'no line of triangle is like that'
mkdir sources
mv lines.c sources
expect 1 "$SPILE" -e "$text"
says 'note: the source file .*/lines.c is not there'
says 'hint: --source DIR says where sources are'
expect 0 "$SPILE" --source sources --engine="$engine" -w -c ./lines -e "$text"
is '1 2 3 4 '
expect 1 "$SPILE" --source nosuch -e "$text"
says 'note: the source file nosuch/lines.c is not there'
expect 0 "$SPILE" --source sources --lines triangle --in ./lines
prints '^ +7\*.*sum \+= i;$'
