# SPDX-License-Identifier: GPL-2.0-or-later
# A large function that many places of a recursive one call, and one that calls a recursive one in many places of the handler, are
# functions of BPF of their own; one that is both gets frames beside those of the recursive ones. The kernel takes them, and they do
# what the user engine's do, and fail as these.
. "$SUITE/lib.sh"
own_programs once

body() {
	for i in $(seq 0 15); do echo "s = sprintf(\"%d %s\", k + $i, substr(t, $((i % 3)), 5)) a[k, s] += $i n += strlen(s)"; done
}

calls() {
	for i in $(seq 1 12); do echo "n += $1(k + $i, t)"; done
}

{
	echo 'global a, s, n function large:long(k:long, t:string) {'
	body
	echo 'if (k == 99) n /= k - 99 return n } function walk:long(k:long, t:string) { if (k <= 0) return strlen(t)'
	calls large
	echo 'return walk(k - 1, substr(t, 0, 9)) + large(k, s) }'
} >called.stp
cp called.stp calling.stp
sed -i '/^n += large/d; s/ + large(k, s)/ + k/; s/^global a, s, n function large.*/global a, s, n function none() { }/' calling.stp
{
	echo 'global a, s, n function walk:long(k:long, t:string) { if (k <= 0) return strlen(t) n += k a[k, t]++ return walk(k - 1, t . "x") + k }'
	echo 'function large:long(k:long, t:string) {'
	body
	echo 'if (k == 99) n /= k - 99 return walk(k & 3, t) + n } function walker:long(k:long, t:string) {'
	calls large
	echo 'return n }'
} >calling.stp
{
	echo 'global a, s, n function down:long(k:long, t:string) { if (k <= 0) return strlen(t) a[k, t]++ return down(k - 1, t . "d") + k }'
	echo 'function large:long(k:long, t:string) {'
	body
	echo 'if (k == 99) n /= k - 99 return down(k & 3, t) + n } function walk:long(k:long, t:string) { if (k <= 0) return strlen(t)'
	calls large
	echo 'return walk(k - 1, substr(t, 0, 9)) + large(k, s) }'
} >both.stp
point="process(\"$PROGS/once\").function(\"tick\")"
ends() {
	echo 'if (n) { foreach ([k, x] in a) t += a[k, x] * k println(n, " ", s, " ", t) } exit() }'
}
echo "probe $point { n += walk(3, \"x\") + large(7, \"y\") + walk(2, s) println(n, \" \", s) large(99, \"z\") }" | tee -a both.stp >>called.stp
echo "probe $point { k = 1 t = \"first\" n += walker(1, t)" >>calling.stp
{ calls large; echo 'println(n, " ", s) large(99, "z") }'; } >>calling.stp
for form in called calling both; do
	expect 0 "$SPILE" -w --cost -p4 -o $form.spo $form.stp
	! grep -q "outside of the kernel" out || fail "$form: the test is of what the kernel runs"
	for engine in user kernel; do
		expect 1 "$SPILE_RUN" -w --engine=$engine -c "$PROGS/once" $form.spo
		says "ERROR: division by 0 near operator '/' at $form.stp:[0-9]+:.*"
		grep -v '^a\[' out >$engine
		[ -s $engine ] || fail "$form: $engine prints nothing"
	done
	cmp -s user kernel || fail "$form: $(diff user kernel)"
done
