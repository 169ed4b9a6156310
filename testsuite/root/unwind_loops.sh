# SPDX-License-Identifier: GPL-2.0-or-later
# Nine walks of a program's stack by unwind tables, in loops in loops: the verifier follows one walk, and not one for each place and each
# depth of loops that it comes to. They all see the same stack.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "unwind tables are for x86_64"

cat >loops.stp <<STP
global n, wrong, rounds, zero, y
probe begin { y["a"] = y["b"] = 1 }
probe process("$BUILD/testsuite/progs/calls").function("add") {
	a = ustack(0)
	b = ustack(zero + 1)
	c = ustack(2)
	foreach (k in y) {
		for (i = 0; i < 2 + zero; i++) {
			wrong += (ustack(i) != (i ? b : a)) + (ustack(i + 1) != (i ? c : b)) + (ustack(1) != b)
			for (j = zero; j < 1 + i; j++) {
				wrong += (ustack(j) != (j ? b : a)) + (ustack(i + j) != (i + j == 2 ? c : i + j ? b : a)) + (ustack(2) != c)
				rounds++
			}
		}
	}
	n++
	println(n, " ", rounds, " ", wrong, " ", a != b && b != c)
	exit()
}
STP
expect 0 "$SPILE" -w --engine=kernel --cost -p4 -o loops.spo loops.stp
prints '  loop at .*: bpf_loop'
! grep -q "outside of the kernel" out || fail "the test is of what the kernel runs"
expect 0 "$SPILE_RUN" -w --engine=kernel -c "$BUILD/testsuite/progs/calls" loops.spo
prints '1 6 0 1'
expect 0 "$SPILE" -w --engine=kernel --explain loops.stp -c "$BUILD/testsuite/progs/calls"
followed=$(sed -n 's/.*loaded: .* \([0-9]*\) followed by the verifier.*/\1/p' out)
((followed > 0 && followed < 100000)) || fail "the verifier follows $followed instructions"
