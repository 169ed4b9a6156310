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

# Wherever the kernel puts its program, also behind all that have names: the handler is no part of the stack.
for _ in 1 2 3 4 5; do
	expect 0 timeout 60 "$SPILE" -c true -e 'probe kernel.trace("sched:sched_process_exec") { if (pid() == target()) { print_backtrace() exit() } }'
	! grep bpf_ out || fail "the handler is in the stack"
done

# Where the kernel keeps fewer calls of a stack, that is told.
echo 16 >most
expect 0 unshare --mount sh -c 'mount --bind most /proc/sys/kernel/perf_event_max_stack && exec "$@"' sh timeout 60 "$SPILE" -c true -e '
probe kernel.trace("sched:sched_process_exec") { if (pid() == target()) exit() else print_stack(backtrace()) }
probe process("/bin/true").begin { println(strlen(ubacktrace()) > 0) }'
grep -c 'stacks that the kernel walks' err >out
is 1
says '^WARNING: stacks that the kernel walks have 16 functions at most: kernel.perf_event_max_stack$'
