# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers that call the same large function share one copy of it. What is printed, counted, caught and ended there is still that of
# the handler which calls: the user engine, whose handlers have copies of their own, says the same.
. "$SUITE/lib.sh"
cp "$PROGS/calls" . || fail "cp" # another case's uprobes in that file would be in the user engine's way
calls="process(\"$PWD/calls\")"
cat >shared.stp <<S
global seen, fails
function tell(what, n) {
	text = sprintf("%s %d %s", what, n, execname())
	for (i = 0; i < 3; i++) {
		text = text . sprintf("<%d:%x>", i, n * i)
		seen[what . sprintf("%d", i)] += n
	}
	if (n % 2) text = str_replace(text, "<", "[")
	if (what == "exit" && n > 2) for (i = 0; i < 8; i++) text = text . text
	if (n == 3 && what == "tick") fails /= n - 3
	if (n == 4 && what == "entry") error("four")
	printf("%s %d\n", substr(text, 0, 60), uaddr() != 0)
	if (n == 6 && what == "late") { println("out") exit() }
	return strlen(text)
}
probe $calls.function("add") { n = \$a; tell("entry", n) fails += tell("again", n) < 0 }
probe $calls.function("add").return { n = @entry(\$a); tell("exit", n) fails += tell("late", n) < 0 }
probe $calls.function("look") { n = \$o->in->small; tell("look", n) try { tell("tick", n) } catch (m) { println(m) } }
probe end { foreach (what+ in seen) println(what, seen[what]) println(fails) }
S
for engine in user kernel; do
	expect 1 "$SPILE" -D MAXERRORS=5 --engine=$engine -c "$PWD/calls 9" shared.stp
	says "ERROR: four"
	says 'WARNING: [0-9]+ strings of .*\.return were cut .*'
	prints 'division by 0'
	prints out
	mv out $engine.out
	mv err $engine.err
done
diff user.out kernel.out >difference || fail "the engines print other lines: $(cat difference)"
diff user.err kernel.err >difference || fail "the engines say other things: $(cat difference)"
expect 0 "$SPILE" -w -p4 -o shared.spo shared.stp
[ "$(readelf -sW shared.spo | grep -c __function_)" = 1 ] || fail "each handler has a copy: $(readelf -sW shared.spo | grep __function_)"

# What asks for stacks is shared, too.
cat >stacks.stp <<'S2'
global seen, n
function tell(n, what) {
	text = sprintf("%d %s", n, execname())
	for (i = 0; i < 3; i++) { text = text . sprintf("<%d:%x>", i, n * i) seen[text] += n }
	text = str_replace(text, "<", "[") . str_replace(execname(), "a", "bb") . sprintf("%x %s", n, substr(text, 2, 9))
	printf("%s %s\n", what, strlen(backtrace()) > 30 ? "stack" : "none")
	return strlen(text)
}
probe kernel.trace("sched_switch") { if (n++ < 2) { tell(n, pp()) tell(n, "x") } else exit() }
probe kernel.trace("sched_waking") { if (n++ < 2) { tell(n, pp()) tell(n, "x") } else exit() }
probe end { delete seen }
S2
expect 0 "$SPILE" stacks.stp
[ "$(grep -c ' stack$' out)" = 4 ] || fail "a stack is empty"
expect 0 "$SPILE" -w -p4 -o stacks.spo stacks.stp
[ "$(readelf -sW stacks.spo | grep -c __function_)" = 1 ] || fail "each handler has a copy: $(readelf -sW stacks.spo | grep __function_)"
