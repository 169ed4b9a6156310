# SPDX-License-Identifier: GPL-2.0-or-later
# probe P if (condition): what is in the kernel is attached while the condition holds, and no longer.
. "$SUITE/lib.sh"
counted=$BUILD/testsuite/progs/counted
cat >armed.stp <<'S'
global on, names, calls, naps
probe process(@1).function("touch") if (on && !names["off"]) { if (++calls == 3) on = 0 }
probe process(@1).function("nap").return if (on) { naps += @entry($n) == 2 && $return == 2 }
probe kernel.trace("sched:sched_switch") if (names["never"]) { calls = 1000 }
probe timer.ms(100) { if (!calls) on = 1 }
probe end { println(calls, " ", naps > 0) }
S
"$SPILE" -v armed.stp "$counted" >out 2>err &
spile=$!
trap 'kill $spile $loop 2>/dev/null' EXIT
(while :; do "$counted"; done) &
loop=$!
told() { [ "$(grep -cE "^probe process.*\"$1@.*: $2 (until )?its condition holds\$" err)" = "$3" ]; }
wait_for 60 told touch 'disarmed' 2
told touch 'armed,' 1 || fail "it was not armed once"
wait_for 60 told nap 'disarmed' 2
says '^probe kernel\.trace\("sched:sched_switch"\): disarmed until its condition holds$'
# Nothing of them is left in the kernel: no link, and no event that a link is on.
! grep -lE '^link_type' /proc/$spile/fdinfo/* 2>/dev/null || fail "links are left"
kill -INT $spile
wait $spile
prints '^3 [01]$'
! grep -q 'sched_switch.*: armed' err || fail "armed without reason"

# A condition that asks more than globals is tested by the handler alone.
expect 0 "$SPILE" -v -c "$counted" -e 'global n probe process(@1).function("touch") if (n < 2 && $n_pages == 1000) { n++ } probe end { println(n) }' "$counted"
is 2
! grep -q 'condition holds' err || fail "disarmed, though its condition depends on a variable of the program"
# The first test is before anything is attached, with the globals as begin leaves them.
expect 0 "$SPILE" -v -c "$counted" -e 'global n, on probe begin { on = 1 } probe process(@1).function("touch") if (on) { n++ } probe end { println(n) }' "$counted"
is 40
! grep -q 'condition holds' err || fail "its condition held all the time"
expect 0 "$SPILE" -p4 -o on.spo -e 'global on, n probe process(@1).function("touch") if (on) { n++ } probe end { println(n) }' "$counted"
expect 0 "$SPILE_RUN" -v -G on=1 -c "$counted" on.spo
is 40
expect 0 "$SPILE_RUN" -v -G on=0 -c "$counted" on.spo
is 0
says ': disarmed until its condition holds$'
