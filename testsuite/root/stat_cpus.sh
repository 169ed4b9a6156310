# SPDX-License-Identifier: GPL-2.0-or-later
# Processes on several CPUs fill the same aggregate: nothing is lost, and readers see all of it, in the kernel and outside.
. "$SUITE/lib.sh"
"$SPILE_RUN" --describe >target || fail "no description"
grep -q '^features .*\<percpu-lookup\>' target || skip "no bpf_map_lookup_percpu_elem here"
both="$PROGS/calls 20000 >/dev/null & $PROGS/calls 20000 >/dev/null & wait; $PROGS/once"
expect 0 "$SPILE" --engine=kernel -c "sh -c '$both'" -e "
global s, all, seen
probe process(\"$PROGS/calls\").function(\"look\").call {
	s[\"k\"] <<< 3
	all <<< -1
}
probe process(\"$PROGS/once\").function(\"tick\") {
	seen = @count(s[\"k\"]) + @sum(all)
	printf(\"%d %d\\n\", @sum(s[\"k\"]), @min(all))
}
probe end {
	printf(\"%d %d %d %d %d\\n\", @count(s[\"k\"]), @sum(s[\"k\"]), @count(all), @sum(all), seen)
}"
is '120000 -1
40000 120000 40000 -40000 0'
