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
# Another processor's copy, in the kernel and outside of it.
for probe in 'kernel.trace("sys_enter")' oneshot; do
	expect 0 "$SPILE" -e "
global done
probe $probe {
	if (done++) // another processor can come here before exit() is seen
		next
	queues = &@var(\"runqueues@kernel/sched/core.c\", \"kernel\")
	for (n = 0; n < 2; n++)
		printf(\"%d %d\\n\", @cast(per_cpu_ptr(queues, n), \"struct rq\", \"kernel\")->cpu, n == cpu() && per_cpu_ptr(queues, n) == queues)
	try { per_cpu_ptr(queues, 4000) } catch (why) { println(why) }
	exit()
}"
	quiet
	sort -o out out
	prints '^0 [01]$'
	prints '^1 [01]$'
	prints '^there is no processor 4000$'
	[ "$(grep -c ' 1$' out)" = 1 ] || fail "both or none of the copies is the handler's own: $(cat out)"
done
