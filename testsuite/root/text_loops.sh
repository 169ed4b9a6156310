# SPDX-License-Identifier: GPL-2.0-or-later
# Texts that are copied, compared, measured and put together in loops in loops: the verifier follows the loops over their memory once, and
# not for each place and each way to it.
. "$SUITE/lib.sh"

cat >texts.stp <<STP
global n, zero, last
function part:string (text:string, i:long) { return substr(text, i, strlen(text)) }
probe process("$BUILD/testsuite/progs/calls").function("add") {
	for (i = 0; i < 3 + zero; i++) {
		for (j = zero; j < 2; j++) {
			a = sprintf("%d.%d", i, j)
			b = part("x" . a, 1 + zero)
			last = b . part(a, strlen(b)) . part(last == a ? "same" : "", zero)
			if (last == a && strlen(part(last, 1)) == 2 && part(a, zero) <= last)
				n++
		}
	}
	println(n, " ", last)
	exit()
}
STP
expect 0 "$SPILE" -w --engine=kernel --cost -p4 -o texts.spo texts.stp
! grep -q "outside of the kernel" out || fail "the test is of what the kernel runs"
expect 0 "$SPILE_RUN" -w --engine=kernel -c "$BUILD/testsuite/progs/calls" texts.spo
prints '6 2.1'
expect 0 "$SPILE" -w --engine=kernel --explain texts.stp -c "$BUILD/testsuite/progs/calls"
followed=$(sed -n 's/.*loaded: .* \([0-9]*\) followed by the verifier.*/\1/p' out)
((followed > 0 && followed < 30000)) || fail "the verifier follows $followed instructions"

# What keeps the order of a wrapping array belongs to no handler.
expect 0 "$SPILE" -w --engine=kernel -DMAXSTRINGLEN=200 -c "$BUILD/testsuite/progs/calls 3" -e "
	global last%[2], n
	probe process(\"$BUILD/testsuite/progs/calls\").function(\"add\") { last[sprintf(\"%0150d\", n++)] = n }
	probe end { foreach (key in last) println(substr(key, 140, 10), \" \", last[key]) println(n > 2) }"
sed 1,2d out | grep -qx 1 && [ "$(wc -l <out)" = 3 ] || fail "the array has wrapped otherwise"
