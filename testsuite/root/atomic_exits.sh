# SPDX-License-Identifier: GPL-2.0-or-later
# Every way out of a handler releases the lock: next, an error that is caught, one that is not, a return out of a loop. Timers
# take it, too.
. "$SUITE/lib.sh"
threads=$PROGS/threads
cat >out.stp <<'STP'
global a, hits, caught, ticks, gone, left
function leave(n) { foreach (k in a) { if (n % 5 == 2) return 1 / (n % 5 - 2) } return 0 }
probe process(@1).function("step") {
	hits++
	a[1] = a[1] + 1
	if ($number % 5 == 1) next
	try { left += leave($number) } catch { caught++ }
	if ($number % 5 == 3) foreach (k in a) next
	if (a[2] == 7) { delete a[2]; gone++ }
	a[2] = 7
	if ($number % 5000 == 4) error("no")
}
probe timer.us(300) { ticks++; a[1] = a[1] + 1; a[1]++ }
probe end { printf("%d %d %d %d %d\n", hits, a[1] - hits - 2 * ticks, caught, gone, left) }
STP
expect 1 timeout 50 "$SPILE" --engine=kernel -D MAXTRYLOCK=8192 -D MAXERRORS=100 -c "$threads 20000" out.stp "$threads"
is '80000 0 16000 47999 0'
says 'Number of errors: 16, skipped probes: 0$'
