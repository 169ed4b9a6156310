# SPDX-License-Identifier: GPL-2.0-or-later
# probe process.begin if (condition): processes that run already are told of by a handler that is in no kernel, and tests it alone.
. "$SUITE/lib.sh"
trap 'kill $pids' EXIT
sleep 600 & pids=$! target=$!
is_sleep() { [ "$(cat /proc/$target/comm)" = sleep ]; }
wait_for 60 is_sleep
expect 0 timeout 60 "$SPILE" -x $target -e 'global on = 1, n probe process.begin if (on) { n++ } probe timer.ms(1) { exit() } probe end { println(n) }'
is 1
expect 0 timeout 60 "$SPILE" -x $target -e 'global on, n probe process.begin if (on) { n++ } probe timer.ms(1) { exit() } probe end { println(n) }'
is 0
while :; do /bin/true; done & pids="$pids $!"
expect 0 timeout 60 "$SPILE" -v -e 'global on, n probe process("/bin/true").begin if (on) { n++ } probe timer.ms(300) { on = 1 }
	probe timer.ms(20) { if (n) exit() } probe end { println(n > 0) }'
is 1
says '\.begin: disarmed until its condition holds$'
says '\.begin: armed, its condition holds$'
exit 0
