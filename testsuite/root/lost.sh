# SPDX-License-Identifier: GPL-2.0-or-later
# What the ring buffer has no room for is counted, to the last event. It has none while nobody reads the output, which is
# read when the program has ended.
. "$SUITE/lib.sh"
"$SPILE" --engine=kernel -D SPILE_RING_SIZE=4096 -c "$PROGS/calls 20000; touch ended" -e "
	probe process(\"$PROGS/calls\").function(\"add\") { printf(\"event %d %120s\\n\", \$a, \"\") }" 2>err | { wait_for 60 test -e ended; cat; } >out
status=${PIPESTATUS[0]}
[ $status = 0 ] || fail "exit status $status"
lost=$(sed -nE 's/^WARNING: ([0-9]+) events of process\("[^"]*"\)\.function\("add[^"]*"\) were lost \(the ring buffer was full: -s MB makes it larger\)$/\1/p' err)
[ "${lost:-0}" -gt 1 ] || fail "nothing was lost"
[ $(($(grep -c '^event ' out) + lost)) = 20000 ] || fail "$(grep -c '^event ' out) printed, $lost lost"
