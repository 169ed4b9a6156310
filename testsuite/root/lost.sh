# SPDX-License-Identifier: GPL-2.0-or-later
# What the ring buffer has no room for is counted, to the last event.
. "$SUITE/lib.sh"
expect 0 "$SPILE" --engine=kernel -D SPILE_RING_SIZE=4096 -c "$PROGS/calls 20000" -e "
	probe process(\"$PROGS/calls\").function(\"add\") { printf(\"event %d %120s\\n\", \$a, \"\") }"
lost=$(sed -nE 's/^WARNING: ([0-9]+) events of process\("[^"]*"\)\.function\("add[^"]*"\) were lost \(ring buffer full\)$/\1/p' err)
[ "${lost:-0}" -gt 0 ] || fail "nothing was lost"
[ $(($(grep -c '^event ' out) + lost)) = 20000 ] || fail "$(grep -c '^event ' out) printed, $lost lost"
