# SPDX-License-Identifier: GPL-2.0-or-later
# A function with a loop of its own that two places in a loop call: the verifier follows it once, and not for each of them, which were
# half a million instructions.
. "$SUITE/lib.sh"

cat >followed.stp <<STP
global n
probe process("$BUILD/testsuite/progs/calls").function("add") {
	for (i = 0; i < 2 + n; i++) {
		s = strftime("%H:%M:%S", 3600 * i + tz_gmtoff()) . strftime("/%M", i + tz_gmtoff())
		n += strlen(s) - 11
	}
	println(s)
	exit()
}
STP
expect 0 "$SPILE" -w --engine=kernel followed.stp -c "$BUILD/testsuite/progs/calls"
prints '01:00:00/00'
expect 0 "$SPILE" -w --engine=kernel --explain followed.stp -c "$BUILD/testsuite/progs/calls"
followed=$(sed -n 's/.*loaded: .* \([0-9]*\) followed by the verifier.*/\1/p' out)
((followed > 0 && followed < 200000)) || fail "the verifier follows $followed instructions"
