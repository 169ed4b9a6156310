# SPDX-License-Identifier: GPL-2.0-or-later
# With -c and -x process() probes are the target's and its descendants' alone, in the kernel as in the user engine.
. "$SUITE/lib.sh"
"$PROGS/calls" 100000 slowly >/dev/null &
other=$!
trap 'kill $other 2>/dev/null' EXIT
script="global seen, others
probe process(\"$PROGS/calls\").function(\"add\") { if (pid() == $other) others++; else seen[pid()]++ }
probe end { foreach (p in seen) { n += seen[p]; k++ } printf(\"%d processes, %d calls, %d of others\\n\", k, n, others) }"
expect 0 "$SPILE" --engine=kernel -c "$PROGS/calls 1; $PROGS/calls 3 & $PROGS/calls 2 forks; wait" -e "$script"
quiet
is '4 processes, 6 calls, 0 of others'
# Without a target, everybody's.
expect 0 "$SPILE" --engine=kernel -T 1 -e "$script"
quiet
prints '[1-9][0-9]* of others'
# Of a process that has started something already.
mkfifo go
sh -c "sh -c 'read x; $PROGS/calls 1' <go; $PROGS/calls 2; exec $PROGS/calls 3" &
target=$!
"$SPILE" --engine=kernel -x $target -e "$script global ticks probe timer.ms(10) { if (!ticks++) println(\"started\") }" >out 2>err &
spile=$!
wait_for 30 grep -q started out # timers start when all is attached
echo >go
wait $spile
quiet
is 'started
3 processes, 6 calls, 0 of others'
