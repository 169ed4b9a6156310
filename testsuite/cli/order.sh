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
