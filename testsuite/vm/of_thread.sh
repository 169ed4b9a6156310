# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel keeps with threads (plan_thread.h) is what an array under the same number has, in kprobes, trampolines, their returns and
# tracepoints, of all threads of the machine.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -D MAXMAPENTRIES=4096 -c 'for i in 1 2 3 4 5 6 7 8; do cat /proc/self/maps /proc/meminfo | tail -n 1; done >/dev/null' -e '
global one = 1, a, b, c, d, odd, returns, late, opens
probe kernel.function("vfs_read").call { a[tid()] = $count + 1; b[tid() * one] = $count + 1 }
probe kernel.function("vfs_read").return {
	if (a[tid()] != b[tid() * one] || (tid() in a) != (tid() * one in b)) odd++
	if (tid() in a) returns++
	delete a[tid()]
	delete b[tid() * one]
	if (tid() in a || a[tid()]) odd++
}
probe kprobe.function("do_sys_openat2") { if (c[tid()]++ != d[tid() * one]++) odd++; opens++ }
probe kernel.trace("sched_process_exit") { if (c[tid()] != d[tid() * one]) odd++; delete d[tid() * one]; if (c[tid()]) late++; delete c[tid()] }
probe end { println(odd, " ", returns > 30, " ", opens > 20, " ", late > 8) }'
is '0 1 1 1'
