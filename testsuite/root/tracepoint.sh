# SPDX-License-Identifier: GPL-2.0-or-later
# kernel.trace: the record's fields, and the prototype's arguments, by name.
. "$SUITE/lib.sh"
expect 0 timeout 30 "$SPILE" -e 'probe kernel.trace("sched:sched_switch") {
	printf("%d %d %s\n", $prev_pid >= 0, $next_prio > 0, $next_pid == $prev_pid ? "same" : "other") exit() }'
is '1 1 other'
quiet
expect 0 timeout 30 "$SPILE" -c "$PROGS/calls 1 forks" -e 'global n
probe kernel.trace("sched:sched_process_fork") { if ($parent_pid == target()) n++ }
probe end { println(n) }'
is 1
expect 0 "$SPILE" -L 'kernel.trace("sched:sched_switch")'
prints '^kernel\.trace\("sched:sched_switch"\) .*\$next_pid'
expect 0 "$SPILE" -l 'kernel.trace("sched:sched_process_*")'
[ "$(wc -l <out)" -ge 4 ] || fail "too few sched_process_* tracepoints"
expect 1 "$SPILE" -e 'probe kernel.trace("sched:sched_swich") { exit() }'
says 'did you mean .*sched_switch'
expect 1 "$SPILE" -e 'probe kernel.trace("sched:sched_switch") { println($nosuch) exit() }'
says 'next_pid'
