# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers of one place run in the order of the script; root/order.sh runs this in the kernel.
. "$SUITE/lib.sh"
engine=${engine:-user}
# order COMMAND POINTS: three probes of the same points say a, b and c each time. Others meet tracepoints while not all are attached.
order()
{
	expect 0 timeout 60 "$SPILE" --engine=$engine -c "$1" -e "global n
		probe $2 { if (pid() == target()) println(\"a\") }
		probe $2 { if (pid() == target()) { println(\"b\") n++ } }
		probe $2 { if (pid() == target()) println(\"c\", n > 0) }"
	quiet
	sed '/^semaphore/d; s/^c1/c/' out | awk '$0 != substr("abc", n % 3 + 1, 1) { exit 1 } { n++ } END { exit n < 3 || n % 3 }' || fail "not in order: $2"
}
calls="process(\"$PROGS/calls\")"
order "$PROGS/calls 2" "$calls.function(\"add\")"
order "$PROGS/calls 2" "$calls.function(\"add\").return"
order "$PROGS/calls 2" "$calls.function(\"ad[d]\"), $calls.function(\"loo[k]\")"
order "$PROGS/calls 2" "$calls.function(\"ad[d]\").return, $calls.function(\"loo[k]\").return"
order "$PROGS/marks" "process(\"$PROGS/marks\").mark(\"*\")"
# A call that was left by longjmp() has no return, however many probes wait for it.
jumps="process(\"$PROGS/jumps\").function(\"leap\").return"
expect 0 timeout 60 "$SPILE" --engine=$engine -c "$PROGS/jumps" -e "
	probe $jumps { println(\"a\", \$return) }
	probe $jumps { println(\"b\", \$return) }"
[ "$(grep -v '^2$' out)" = 'a2
b2' ] || fail "other returns"
# Neither have those of tail calls, nor what has made them: in the program, and in a library by a PLT and without.
command -v gcc >/dev/null || skip "needs gcc"
cat >chain.c <<'C'
#include <setjmp.h>
jmp_buf back;
__attribute__((noipa)) int last(int n)
{
	if (n < 3)
		longjmp(back, 1);
	return n;
}
__attribute__((noipa)) int chain(int n) { return last(n); }
C
cat >main.c <<'C'
#include <setjmp.h>
#include <stdio.h>
extern jmp_buf back;
int chain(int n);
int main(void)
{
	volatile int n = 0;

	setjmp(back);
	printf("%d\n", chain(n++));
	return 0;
}
C
for how in "main.c chain.c" "main.c ./libchain.so" "-fno-plt main.c ./libchain.so"; do
	gcc -g -O2 -shared -fPIC -o libchain.so chain.c && gcc -g -O2 -o chains $how || fail "cannot be made: $how"
	[[ $how == *.so ]] && chain='process("./libchain.so")' || chain='process("./chains")'
	expect 0 timeout 60 "$SPILE" --engine=$engine -c ./chains -e "
		probe $chain.function(\"chain\").return, $chain.function(\"last\").return { println(ppfunc(), \" \", \$return) }"
	[ "$(grep -v '^3$' out)" = 'last 3
chain 3' ] || fail "other returns: $how"
done
