# SPDX-License-Identifier: GPL-2.0-or-later
# A part of a function that gcc has put elsewhere is jumped to. On the stack is what the function has saved there: a return address in its
# place would be the caller's register.
. "$SUITE/lib.sh"
cat >prog.c <<'C'
#include <stdio.h>
volatile int sink;
__attribute__((cold, noipa)) int bad(int x) { sink = x; return x; }
__attribute__((noipa)) void step(int x) { sink += x; }
__attribute__((noipa)) int work(int x)
{
	step(x);
	if (__builtin_expect(x == 3, 0)) {
		bad(x);
		bad(7);
		sink += bad(x);
	}
	return x;
}
__attribute__((noipa)) int outer(int k, int m)
{
	int sum = 0;
	for (int i = 0; i < 6; i++)
		sum += work(i) ^ m;
	return sum + k;
}
int main(void) { return outer(5, 9) != 68; }
C
gcc -O2 -o prog prog.c || fail "gcc"
nm prog | grep -q ' work\.cold$' || skip "this compiler moves no part of a function"
for engine in user kernel; do
	[ $engine = user ] || [ "$(id -u)" = 0 ] || continue
	expect 0 timeout 20 "$SPILE" --engine=$engine -c ./prog -e 'global n probe process("./prog").function("wor*").return { n[ppfunc()]++ }
	probe end { foreach (f+ in n) print(f, " ", n[f], " ") }'
	is 'work 6 '
	expect 1 timeout 20 "$SPILE" --engine=$engine -c ./prog -e 'probe process("./prog").function("work.cold").return { println(1) }'
	says '^semantic error: work\.cold cannot be probed: it is a part of a function, which jumps there, so that it does not return \[E408\]$'
	expect 0 timeout 20 "$SPILE" --engine=$engine -c ./prog -e 'probe process("./prog").function("work.cold") { println(pp() =~ "cold") }'
	is 1
done
