# SPDX-License-Identifier: GPL-2.0-or-later
# Probes whose condition holds when the privileges have been given up are attached then as they would have been before.
. "$SUITE/lib.sh"
# late POINT: armed when the script runs, where tracefs is not mounted.
late()
{
	cat >late.stp <<S
global on, n
probe $1 if (on) { n++ }
probe timer.ms(300) { on = 1 }
probe timer.ms(20) { if (n) exit() }
probe end { println(n > 0) }
S
	expect 0 unshare -m sh -c 'umount /sys/kernel/tracing /sys/kernel/debug/tracing /sys/kernel/debug 2>/dev/null; exec "$@"' sh timeout 60 "$SPILE" -v late.stp
	is 1
	says '^privileges were given up, but those to attach probes,'
	says ': armed, its condition holds$'
}
unshare -m true 2>/dev/null || skip "needs a mount namespace"
while :; do /bin/true; done & loop=$!
trap 'kill $loop' EXIT
late process.end
late 'process("/bin/true").end'
late 'kernel.trace("syscalls:sys_enter_openat")'
late 'kernel.trace("sched:sched_process_exec")'
exit 0
