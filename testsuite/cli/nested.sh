# SPDX-License-Identifier: GPL-2.0-or-later
# Functions in functions, as Ada has them and gcc's C.
. "$SUITE/lib.sh"
cat >nest.c <<'C'
int main(int n, char **v)
{
	int sum = 5;
	__attribute__((noinline)) int inner(int x) { sum += x; return sum; }

	return inner(n) + inner(2) == 0;
}
C
gcc -g -O1 -o nest nest.c 2>/dev/null || skip "needs gcc"
expect 0 "$SPILE" --engine=user -c ./nest -e 'probe process.function("inner") { print($x, " ") }
probe process.function("inner@nest.c").return { println(@entry($x), " ", $return) }'
is '1 1 6
2 2 8'
expect 0 "$SPILE" -L 'process("./nest").function("inner")'
is "process(\"$PWD/nest\").function(\"inner@$PWD/nest.c:4\") \$x:int"
