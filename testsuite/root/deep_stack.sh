# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes; and stacks of the kernel.
ENGINE=kernel . "$SUITE/cli/deep_stack.sh"
expect 0 timeout 60 "$SPILE" -D MAXSTRINGLEN=64 -c true -e 'global kept, calls
probe kernel.trace("sched:sched_process_exec") {
	if (pid() != target())
		next
	kept = backtrace()
	calls[backtrace()]++
	print(backtrace(), "\n")
	exit()
}
probe end { foreach (stack in calls) print(stack, "\n") print(kept, "\n") }'
quiet
[ "$(sort -u out | wc -l) $(wc -l <out)" = "1 3" ] || fail "the three are not the same"
[ "$(head -n 1 out | wc -w)" -gt 4 ] || fail "a short stack"
