# SPDX-License-Identifier: GPL-2.0-or-later
# Who interrupts a handler that has the lock is skipped at once, and counted.
. "$SUITE/lib.sh"
threads=$PROGS/threads
cat >nested.stp <<'STP'
global a, begun, done
probe process(@1).function("step") {
	begun++
	for (i = 0; i < 900; i++) a[1] = a[1] + 1
	done += 900
}
probe perf.type(1).config(0).sample(20000) {
	begun++
	a[1] = a[1] + 1
	done++
}
probe end { printf("%d %d %d\n", a[1] - done, begun, done) }
STP
expect 0 timeout 50 "$SPILE" --engine=kernel -D MAXTRYLOCK=8192 -c "$threads 1000" nested.stp "$threads"
read -r lost begun done <out
skipped=$(sed -nE 's/^WARNING: Number of errors: 0, skipped probes: ([0-9]+)$/\1/p' err)
[ "$lost" = 0 ] || fail "$lost updates more than handlers that ran"
[ "${skipped:-0}" -gt 0 ] || skip "no handler was interrupted"
[ $((4 * 1000 * 900 + begun - 4000 - skipped)) = "$done" ] || fail "$skipped were skipped"
says '^WARNING: [0-9]+ events? of perf.type\(1\).* w(as|ere) skipped \(another handler had the lock: -D MAXTRYLOCK=N waits longer\)$'
