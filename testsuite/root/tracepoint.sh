# SPDX-License-Identifier: GPL-2.0-or-later
# kernel.trace: the record's fields, and the prototype's arguments, by name.
. "$SUITE/lib.sh"
expect 0 timeout 120 "$SPILE" -e 'probe kernel.trace("sched:sched_switch") {
	printf("%d %d %s\n", $prev_pid >= 0, $next_prio > 0, $next_pid == $prev_pid ? "same" : "other") exit() }'
is '1 1 other'
quiet
expect 0 timeout 120 "$SPILE" -c "$PROGS/calls 1 forks" -e 'global n
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
[ "$(grep -o '[$]prev_state\>' err | wc -l)" = 1 ] || fail "a name is listed twice"
expect 1 "$SPILE" -e 'probe kernel.trace("sched:sched_switch") { println($perv) exit() }'
says "did you mean '.prev'"
expect 1 "$SPILE" -e 'probe kernel.trace("sched:sched_switch") { printf("%s", $next_comm) exit() }'
says 'hint: kernel_string\(.next_comm\) is the text'
# Events of system calls have no tracepoint of their own: the record of their format file, narrowed to the types there.
expect 0 "$SPILE" -L 'kernel.trace("syscalls:sys_enter_openat")'
prints '\$dfd:int \$filename:.*\$flags:int \$mode:umode_t$'
expect 0 timeout 120 "$SPILE" -c "cat $0" -e 'global dfd, fds
probe kernel.trace("syscalls:sys_enter_openat") { if (pid() == target()) dfd = $dfd }
probe kernel.trace("sys_exit_openat") { if (pid() == target()) fds += $ret >= 0 }
probe end { printf("%d %d\n", dfd, fds > 0) }'
prints '^-100 1$'
expect 1 "$SPILE" -e 'probe kernel.trace("syscalls:sys_enter_openat") { printf("%s", $filename) exit() }'
says 'hint: user_string\(.filename\) is the text'
expect 1 "$SPILE" -e 'probe kernel.trace("syscalls:sys_enter_openta") { exit() }'
says "did you mean 'syscalls:sys_enter_openat'"
expect 0 "$SPILE" -l 'kernel.trace("*")'
! grep -q '"syscalls:' out || fail "the events of system calls are no tracepoints"
