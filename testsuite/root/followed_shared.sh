# SPDX-License-Identifier: GPL-2.0-or-later
# A large function that the verifier follows once, and that several handlers call: they share one copy. What it prints, and how it fails and ends,
# is of the handler that calls. Where it asks for a value of the context, each handler has a copy, since it keeps that itself.
. "$SUITE/lib.sh"
cp "$PROGS/calls" . || fail "cp" # another case's uprobes in that file would be in the user engine's way
calls="process(\"$PWD/calls\")"

# script VALUE: handlers that call big() in several places, which returns VALUE too.
script() {
	echo 'global a, s, fails function big:long(x:long, t:string) {'
	for i in $(seq 0 15); do
		echo "s = sprintf(\"%d %s\", x + $i, substr(s, $((i % 3)), 5)) . str_replace(s, \"1\", \"b\") a[x, s] += $i"
	done
	echo 'if (x == 3 && t == "exit") fails /= x - 3
	if (x == 4 && t == "entry") error("four")
	if (x == 6 && t == "late") { println("out") exit() }'
	echo "printf(\"%s %d %s\\n\", t, x, s) return x + strlen(t) + ($1) }"
	echo "probe $calls.function(\"add\") { n = \$a; fails += big(n, \"entry\") < 0; fails += big(n, \"again\") < 0 }"
	echo "probe $calls.function(\"add\").return { n = @entry(\$a); fails += big(n, \"exit\") < 0; if (n) fails += big(n, \"late\") < 0 }"
	echo "probe $calls.function(\"look\") { n = \$o->in->small; for (i = 0; i < 3; i++) fails += big(n + i, \"look\") < 0 }"
	echo 'probe end { if ([0, ""] in a) println("empty") println(fails) }'
}

# copies N VALUE
copies() {
	script "$2" >shared.stp
	for engine in user kernel; do
		expect 1 "$SPILE" -w -D MAXERRORS=5 --engine=$engine -c "$PWD/calls 9" shared.stp
		says "ERROR: four"
		prints out
		mv out $engine.out
		grep -v WARNING err >$engine.err
	done
	diff user.out kernel.out >difference || fail "the engines print other lines: $(cat difference)"
	diff user.err kernel.err >difference || fail "the engines say other things: $(cat difference)"
	expect 0 "$SPILE" -w -p4 -o shared.spo shared.stp
	[ "$(readelf -sW shared.spo | grep -c __function_.*_global)" = "$1" ] || fail "copies: $(readelf -sW shared.spo | grep __function_)"
}

copies 1 0
copies 3 '(addr() == 0) - (register("rip") == 0)'
