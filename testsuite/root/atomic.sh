# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing is lost when two processes count the same keys at the same time, the first one included, while a timer's handler
# counts there, too.
. "$SUITE/lib.sh"
cat >many.sh <<'END'
for i in 1 2 3 4 5 6 7 8; do "$1" & done
wait
END
cat >atomic.stp <<'END'
global all, by_key, ticks, calls
probe process(@1).function("tick") {
	for (i = 0; i < 900; i++) {
		all["one"]++
		by_key[i % 300] += 2
	}
	calls[0]++
}
probe timer.us(200) { for (i = 0; i < 20; i++) all["one"]++ ticks[0] += 20 }
probe end {
	foreach (v = k in by_key) sum += v
	printf("%d %d %d\n", calls[0], all["one"] - ticks[0] - 900 * calls[0], sum - 1800 * calls[0])
}
END
expect 0 "$SPILE" --engine=kernel -c "sh many.sh $BUILD/testsuite/progs/once" atomic.stp "$BUILD/testsuite/progs/once"
prints '^8 0 0$'
