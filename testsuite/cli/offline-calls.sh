# SPDX-License-Identifier: GPL-2.0-or-later
# The events of system calls of a kernel that does not run here: its image describes them.
. "$SUITE/lib.sh"
image=$(ls /usr/lib/debug/boot/vmlinux-6.*-amd64 2>/dev/null | head -n 1)
[ -n "$image" ] || skip "there is no kernel with debug information"
expect 0 "$SPILE" -r "$image" -L 'kernel.trace("syscalls:sys_*_openat")'
is 'kernel.trace("syscalls:sys_enter_openat") $__syscall_nr:int $dfd:int $filename:char* $flags:int $mode:umode_t
kernel.trace("syscalls:sys_exit_openat") $__syscall_nr:int $ret:long int'
expect 0 "$SPILE" -r "$image" -l 'kernel.trace("sys_enter_futex")'
is 'kernel.trace("syscalls:sys_enter_futex")'
expect 0 "$SPILE" -r "$image" -l 'kernel.trace("*")'
grep -qF '"syscalls:' out && fail "all tracepoints are not all events of system calls"
expect 1 "$SPILE" -r "$image" -l 'kernel.trace("syscalls:sys_enter_nosuch")'
says '^    note: the kernel has no such system call, or its image, which describes the events of system calls, is not at hand$'
