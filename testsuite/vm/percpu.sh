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
