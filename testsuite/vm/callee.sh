# SPDX-License-Identifier: GPL-2.0-or-later
# Calls from one kernel function, their returns, and calls from what is inlined: of them alone.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -c "cat /etc/passwd >/dev/null" -e '
global all, from_read, from_pread, returned, at
probe kernel.function("vfs_read").call { if (pid() == target()) all++ }
probe kernel.function("ksys_read").callee("vfs_read") { if (pid() == target()) { from_read++ at[ppfunc()] = 1 } }
probe kernel.function("ksys_read").callee("vfs_read").return { if (pid() == target()) returned += $return > 0 }
probe kernel.function("ksys_pread64").callee("vfs_read") { if (pid() == target()) from_pread++ }
probe end {
	println(from_read > 0, all == from_read + from_pread, returned > 0, returned <= from_read, from_pread <= all)
	foreach (f+ in at) println(f)
}'
quiet
is '11111
vfs_read'
