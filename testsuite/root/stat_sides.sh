# SPDX-License-Identifier: GPL-2.0-or-later
# A timer's handler adds to aggregates that processes fill meanwhile: nothing of either side is lost, both see all of it,
# and what is deleted is gone on both sides.
. "$SUITE/lib.sh"
"$SPILE_RUN" --describe >target || fail "no description"
grep -q '^features .*\<percpu-lookup\>' target || skip "no bpf_map_lookup_percpu_elem here"
cat >many.sh <<'END'
for i in 1 2 3 4; do "$1" 20000 & done >/dev/null
wait
"$2"
END
cat >sides.stp <<'END'
global s, all, gone, ticks
probe process(@1).function("add") {
	s["k"] <<< 3
	all <<< 3
}
probe begin { gone["t"] <<< 1 }
probe timer.us(100) {
	for (i = 0; i < 20; i++) {
		s["k"] <<< 5
		all <<< 5
		ticks++
	}
	s["t"] <<< 7
}
probe process(@2).function("tick") {
	delete gone["t"]
	printf("kernel: %d %d %d %d\n", @min(s["k"]), @max(s["k"]), @min(s["t"]), "t" in gone)
	foreach (k in s @max+ limit 4) printf("%s ", k)
	foreach (k- in s limit 2) printf("%s ", k)
	println("")
}
probe end {
	t = @count(s["t"])
	printf("user: %d %d %d\n", @count(s["k"]) - ticks, @sum(s["k"]) - 5 * ticks, @sum(s["t"]) - 7 * t)
	printf("%d %d %d\n", @count(all) - ticks, @sum(all) - 5 * ticks, @max(all))
	foreach (k in s @max- limit 1) println(k)
	delete all
	delete s
	all <<< 9
	s["k"] <<< 1
	printf("%d %d %d\n", @count(all), @sum(s["k"]), @count(s["t"]))
}
END
expect 0 "$SPILE" --engine=kernel -c "sh many.sh $PROGS/calls $PROGS/once" sides.stp "$PROGS/calls" "$PROGS/once"
is 'kernel: 3 5 7 0
k t t k 
user: 80000 240000 0
80000 240000 5
t
1 1 0'
quiet
