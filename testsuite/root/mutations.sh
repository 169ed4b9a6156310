# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run loads what is left of a script that somebody has changed, or says what is wrong with it: it never crashes.
. "$SUITE/lib.sh"
cat >kernel.stp <<X
global count, times
probe process("$PROGS/calls").function("add") {
	count[pid(), execname()]++
	times <<< \$a
	foreach ([p, e] in count) printf("%d %s\n", p, e)
}
probe end { println(@count(times)) }
X
expect 0 "$SPILE" -p4 -o kernel.spo kernel.stp
for seed in $(seq 60); do
	"$BUILD/testsuite/unit/mutate_bundle" kernel.spo $seed 1 changed.spo >/dev/null || fail "seed $seed"
	timeout 20 "$SPILE_RUN" -T 0.05 changed.spo >out 2>err
	status=$?
	[ $status -le 5 ] || fail "exit status $status with seed $seed"
done
exit 0
