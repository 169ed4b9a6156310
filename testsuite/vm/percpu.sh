# SPDX-License-Identifier: GPL-2.0-or-later
# Per-CPU variables are those of the processor that runs the handler: its run queue knows its number and its task.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -c "dd if=/dev/zero of=/dev/null bs=4321 count=1 status=none" -e '
probe kernel.function("vfs_read") {
	if (pid() != target() || $count != 4321)
		next
	println(@var("runqueues@kernel/sched/core.c")->cpu == cpu(), " ",
		@var("runqueues@kernel/sched/core.c")->curr == task_current(), " ",
		&@var("runqueues@kernel/sched/core.c")->cpu - &@var("runqueues@kernel/sched/core.c") > 0)
}'
quiet
is '1 1 1'
# The rest of a handler that runs outside of the kernel has that of the event's processor.
echo 'taskset 1 cat /dev/null; taskset 2 cat /dev/null' >both.sh
expect 0 "$SPILE" -v -DMAXNESTING=100 -c 'sh both.sh' -e '
global seen, sum
function deep(n) { return n ? deep(n - 1) + 1 : 0 }
probe kernel.function("ksys_read") {
	if (execname() != "cat")
		next
	sum += deep($fd & 7)
	seen[cpu(), @var("runqueues@kernel/sched/core.c")->cpu]++
}
probe end { foreach ([at+, of] in seen) println(at, " ", of); println(sum > 0) }'
says 'the rest of the handler runs outside of the kernel: a function calls itself deeper than the kernel has room for '
is '0 0
1 1
1'
