# SPDX-License-Identifier: GPL-2.0-or-later
# Wrapping arrays that several processes and a timer's handler change at the same time: never more elements than there is
# room for, all of them in order at the end, and what could not be done is counted, to the last event.
. "$SUITE/lib.sh"
cat >many.sh <<'END'
for i in 1 2 3 4; do "$1" 20000 & done >/dev/null
wait
END
cat >wrap.stp <<'END'
global last%[5], one%[1], texts%[3], sums%[2], most, runs, n
probe process(@1).function("add") {
	id = n++
	last[id] = tid()
	one[id]++
	texts[sprint(id)] = "x"
	if (id % 3 == 0) delete texts[sprint(id - 1)]
	sums[id] <<< id
	runs[cpu()]++
}
probe timer.us(300) {
	last[n++] = -1
	one[-1]++
	delete last[n - 3]
	sums[-2] <<< 1
}
probe end {
	foreach (v = c in runs) all += v
	printf("%d runs\n", all)
	foreach (k in last) most++
	if (most > 5) printf("%d elements\n", most)
	for (i = 1; i <= 7; i++) {
		last[-i] = i
		texts[sprint(-i)] = "y"
	}
	one[7]++
	sums[7] <<< 1
	sums[8] <<< 2
	foreach (k- in last) printf("%d=%d ", k, last[k])
	foreach (k- in one) printf("%d=%d ", k, one[k])
	foreach (t+ in texts) printf("%s=%s ", t, texts[t])
	foreach (k+ in sums) printf("%d=%d/%d ", k, @count(sums[k]), @sum(sums[k]))
}
END
expect 0 "$SPILE" --engine=kernel -c "sh many.sh $PROGS/calls" wrap.stp "$PROGS/calls"
prints '^-3=3 -4=4 -5=5 -6=6 -7=7 7=1 -5=y -6=y -7=y 7=1/1 8=1/2 $'
! grep -q 'elements' out || fail "too many"
runs=$(sed -nE 's/^([0-9]+) runs$/\1/p' out)
skipped=$(sed -nE 's/^WARNING: ([0-9]+) events? of process.*(was|were) skipped \(another handler had the lock: .*\)$/\1/p' err)
[ $((runs + ${skipped:-0})) = 80000 ] || fail "$runs runs, ${skipped:-0} skipped"
