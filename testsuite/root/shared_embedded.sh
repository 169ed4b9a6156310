# SPDX-License-Identifier: GPL-2.0-or-later
# A function with embedded C is shared by the handlers that call it, as others are: its errors are those of the handler which calls.
. "$SUITE/lib.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cp "$PROGS/calls" . || fail "cp" # another case's uprobes in that file would be in the user engine's way
calls="process(\"$PWD/calls\")"
cat >shared.stp <<S
function half:string (n:long) %{
	if (STAP_ARG_n == 5) STAP_ERROR("five");
	snprintf(STAP_RETVALUE, MAXSTRINGLEN, "half of %d: %d", (int)STAP_ARG_n, (int)STAP_ARG_n / 2);
%}
function tell(what, n) {
	text = str_replace(half(n), "half", sprintf("%s %s", what, execname()))
	for (i = 0; i < 3; i++) text = text . sprintf("<%d:%x>", i, n * i)
	printf("%s %d\n", substr(text, 0, 60), strlen(text))
}
probe $calls.function("add") { n = \$a; tell("entry", n) tell("again", n + 100) }
probe $calls.function("add").return { n = @entry(\$a); try { tell("exit", n) } catch (m) { println(m) } tell("late", n + 200) }
probe $calls.function("look") { n = \$o->in->small; tell("look", n + 300) tell("tick", n + 400) }
S
for engine in user kernel; do
	expect 1 "$SPILE" -g -D MAXERRORS=5 --engine=$engine -c "$PWD/calls 9" shared.stp
	says "ERROR: five"
	prints five
	mv out $engine.out
	mv err $engine.err
done
diff user.out kernel.out >difference || fail "the engines print other lines: $(cat difference)"
diff user.err kernel.err >difference || fail "the engines say other things: $(cat difference)"
expect 0 "$SPILE" -g -w -p4 -o shared.spo shared.stp
# Programs that need their stack for LLVM alone have another.
[ "$(readelf -sW shared.spo | grep -c __function_)" -lt 3 ] || fail "each handler has a copy: $(readelf -sW shared.spo | grep __function_)"
