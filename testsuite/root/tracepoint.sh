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
# Both in one handler: each field is that of the same event, in idle threads, too, which are thread 0 on every processor.
expect 0 timeout 120 "$SPILE" -e 'global n, wrong, last
probe kernel.trace("sched:sched_switch") {
	if ($prev->pid != $prev_pid || $next->pid != $next_pid || kernel_string($prev->comm) != kernel_string($prev_comm) || $next->comm[0] != $next_comm[0])
		wrong++
	last = $next_comm$
	if (n++ > 500) exit()
}
probe end { println(wrong, " ", substr(last, 0, 1)) }'
is '0 "'
quiet
expect 0 timeout 120 "$SPILE" -e 'probe kernel.tracepoint("sched_switch") { println($$name, " ", pp()) exit() }'
is 'sched_switch kernel.tracepoint("sched:sched_switch")'
# A raw tracepoint's program cannot tell which it is at: a handler that asks has one for each.
expect 0 timeout 120 "$SPILE" -e 'global n probe kernel.trace("sched:sched_switch"), kernel.trace("sched:sched_wakeup") {
	if (n[pp()]++ == 0 && ++n["all"] == 2) exit() } probe end { delete n["all"] foreach (p+ in n) println(p) }'
is 'kernel.trace("sched:sched_switch")
kernel.trace("sched:sched_wakeup")'
# Events of system calls have no tracepoint of their own: the record of their format file, narrowed to the types there.
expect 0 timeout 120 "$SPILE" -c "cat $0" -e 'global dfd, fds
probe kernel.trace("syscalls:sys_enter_openat") { if (pid() == target()) dfd = $dfd }
probe kernel.trace("sys_exit_openat") { if (pid() == target()) fds += $ret >= 0 }
probe end { printf("%d %d\n", dfd, fds > 0) }'
prints '^-100 1$'
