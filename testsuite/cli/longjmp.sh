# SPDX-License-Identifier: GPL-2.0-or-later
# A call that catches a longjmp() finds its own values of the entry, not those of a call that was left; tail calls that come back to
# a function find theirs.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
command -v gcc >/dev/null || skip "needs gcc"
cat >jump.c <<'C'
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out;
__attribute__((noipa)) int down(int n)
{
	volatile int kept = n;

	if (n == 3)
		longjmp(out, 1);
	if (n == 1 && setjmp(out))
		return kept * 10;
	return down(n + 1) + kept;
}
__attribute__((noipa)) int even(int n);
__attribute__((noipa)) int odd(int n) { return n ? even(n - 1) : 0; }
__attribute__((noipa)) int even(int n) { return n ? odd(n - 1) : 1; }
int main(void)
{
	for (int i = 0; i < 2; i++)
		printf("%d ", down(1)), printf("%d\n", even(4));
	return 0;
}
C
gcc -g -O2 -o jump jump.c || fail "cannot be made"
expect 0 timeout 60 "$SPILE" --engine="$engine" -o events -c ./jump -e '
probe process.function("down").return { printf("down %d from %d\n", $return, @entry($n)) }
probe process.function("odd").return, process.function("even").return { printf("%s %d from %d\n", ppfunc(), $return, $n) }'
quiet
is '10 1
10 1'
mv events out
is 'down 10 from 1
even 1 from 0
odd 1 from 1
even 1 from 2
odd 1 from 3
even 1 from 4
down 10 from 1
even 1 from 0
odd 1 from 1
even 1 from 2
odd 1 from 3
even 1 from 4'
