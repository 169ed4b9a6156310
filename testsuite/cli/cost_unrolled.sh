# SPDX-License-Identifier: GPL-2.0-or-later
# A loop whose rounds print, read aggregates and memory is not unrolled: copies of it were too large for one handler.
. "$SUITE/lib.sh"

expect 0 "$SPILE" --cost -e 'global q
function rounds:long() {
	for (i = 0; i < 32; i++) {
		println(@count(q), " ", @hist_log(q)[i])
		printf("%4m|%8M|%.9m\n", task_current(), task_current(), task_parent(task_current()))
	}
	q <<< 1
	return pid()
}
probe process(@1).function("add") { if (rounds() < 3) println(rounds()) }' "$PROGS/calls"
grep -q 'loop at .*: unrolled' out && fail "unrolled"
expect 0 "$SPILE" --cost -e 'global n probe process(@1).function("add") { for (i = 0; i < 16; i++) n += i * $a }' "$PROGS/calls"
grep -q 'loop at .*: unrolled, 16 rounds' out || fail "not unrolled"
