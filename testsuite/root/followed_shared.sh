# SPDX-License-Identifier: GPL-2.0-or-later
# A large function that the verifier follows once, and that several handlers call: they share one copy. What it prints, and how it fails and ends,
# is of the handler that calls. Where it asks for a value of the context, each handler has a copy, since it keeps that itself.
. "$SUITE/lib.sh"
program=${RUN_OBJECTS:-$PWD}/followed_shared-calls # another case's uprobes in that of all would be in the user engine's way
[ -e "$program" ] || cp "$PROGS/calls" "$program" || fail "cp"
calls="process(\"$program\")"

large() {
	echo 'global a, s, fails function big:long(x:long, t:string) {'
	for i in $(seq 0 7); do
		echo "s = sprintf(\"%d %s\", x + $i, substr(s, $((i % 3)), 5)) . str_replace(s, \"1\", \"b\") a[x, s] += $i"
	done
}

# script VALUE: handlers that call big() in several places, which returns VALUE too.
script() {
	large
	echo 'if (x == 3 && t == "exit") fails /= x - 3
	if (x == 4 && t == "entry") error("four")
	if (x == 6 && t == "late") { println("out") exit() }'
	echo "printf(\"%s %d %s\\n\", t, x, s) return x + strlen(t) + ($1) }"
	echo "probe $calls.function(\"add\") { n = \$a; fails += big(n, \"entry\") < 0; fails += big(n, \"again\") < 0 }"
	echo "probe $calls.function(\"add\").return { n = @entry(\$a); fails += big(n, \"exit\") < 0; if (n) fails += big(n, \"late\") < 0 }"
	echo "probe $calls.function(\"look\") { n = \$o->in->small; for (i = 0; i < 3; i++) fails += big(n + i, \"look\") < 0 }"
	echo 'probe end { if ([0, ""] in a) println("empty") println(fails) }'
}

# runs ENGINE
runs() {
	expect 1 "$SPILE_RUN" -w --engine=$1 -c "$program 9" "$object"
	says "ERROR: four"
	prints out
	mv out $1.out
	grep -v WARNING err | sed 's/shared[0-9]*\.stp/shared.stp/g' >$1.err
}

# copies N VALUE: VALUE is 0, so all print the same as the first in the user engine.
copies() {
	script "$2" >shared$1.stp
	compile -w -D MAXERRORS=5 -- shared$1.stp
	[ -e user.out ] || runs user
	runs kernel
	diff user.out kernel.out >difference || fail "the engines print other lines: $(cat difference)"
	diff user.err kernel.err >difference || fail "the engines say other things: $(cat difference)"
	[ "$(readelf -sW "$object" | grep -c __function_.*_global)" = "$1" ] || fail "copies: $(readelf -sW "$object" | grep __function_)"
}

copies 1 0
copies 3 '(addr() == 0) - (register("rip") == 0)'

# Stacks are in the same place for all handlers.
{
	large
	echo 'printf("%s %s\n", t, strlen(backtrace()) > 30 ? "stack" : "none") return x }
	probe kernel.trace("sched_switch") { if (fails++ < 4) { big(fails, "switch") big(fails, "switch") } else exit() }
	probe kernel.trace("sched_waking") { if (fails++ < 4) { big(fails, "waking") big(fails, "waking") } else exit() }
	probe end { delete a }'
} >stacks.stp
made 0 -w -- stacks.stp
[ "$(grep -c ' stack$' out)" = 8 ] || fail "a stack is empty"
[ "$(readelf -sW "$object" | grep -c __function_.*_global)" = 1 ] || fail "each handler has a copy: $(readelf -sW "$object" | grep __function_)"
