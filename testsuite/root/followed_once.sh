# SPDX-License-Identifier: GPL-2.0-or-later
# A large function that many places call: the verifier follows it once, so the kernel takes it, and it does what the user engine's does.
# It is called in the handler itself, in a function that is inlined, in a loop, and fails at last.
. "$SUITE/lib.sh"
own_programs once

calls() {
	for i in $(seq 0 15); do echo "n += big($i, \"t\" . s)"; done
}

{
	echo 'global a, s, n function big:long(x:long, t:string) {'
	for i in $(seq 0 15); do
		echo "s = sprintf(\"%d %s\", x + $i, substr(s, $((i % 3)), 5)) . str_replace(s, \"1\", \"b\") a[x, s] += $i"
	done
	echo 'if (x == 99) n /= x - 99'
	echo 'return x + strlen(t) } function small() {'
	calls
	echo '}'
} >functions.stp
echo 'for (i = 0; i < 3; i++) n += big(i + 20, s); printf("%d %s\n", n, s) println(big(99, "t")) }' >ends.stp
point="process(\"$PROGS/once\").function(\"tick\")"
{ cat functions.stp; echo "probe $point {"; calls; cat ends.stp; } >handler.stp
{ cat functions.stp; echo "probe $point { small()"; cat ends.stp; } >small.stp
for form in handler small; do
	expect 0 "$SPILE" -w --cost -p4 -o $form.spo $form.stp
	! grep -q "outside of the kernel" out || fail "$form: the test is of what the kernel runs"
	for engine in user kernel; do
		expect 1 "$SPILE_RUN" -w --engine=$engine -c "$PROGS/once" $form.spo
		says "ERROR: division by 0 near operator '/' at $form.stp:18:"
		mv out $engine
		[ -s $engine ] || fail "$form: $engine prints nothing"
	done
	cmp -s user kernel || fail "$form: $(diff user kernel)"
done
