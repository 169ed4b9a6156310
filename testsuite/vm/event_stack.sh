# SPDX-License-Identifier: GPL-2.0-or-later
# Before Linux 6.12 the trace events of one system call have no stack of the kernel, which is said; system calls have one on each.
. "$SUITE/lib.sh"
cat >stacks.stp <<'STP'
global lines
probe POINT { if (pid() == target() && !lines) { lines = tokenize(backtrace(), " ") != "" ? 1 : -1 print_backtrace() } }
probe end { println(lines) }
STP
run() { sed "s/POINT/$1/" stacks.stp >stack.stp; expect 0 timeout 120 "$SPILE" stack.stp -c 'head -c 1 /etc/passwd >/dev/null'; }

run 'syscall.read'
prints '^ 0x[0-9a-f]* : .*do_syscall_64'
prints '^1$'
quiet
run 'kernel.trace("syscalls:sys_enter_read")'
if uname -r | grep -qE '^[1-5]\.|^6\.([0-9]|1[01])\.'; then
	is -1
	says "^WARNING: before Linux 6\.12 the kernel's stack is empty at trace events of one system call \[W209\]$"
	[ "$(grep -c WARNING err)" = 1 ] || fail "said more than once"
	expect 0 "$SPILE" -p4 -o /dev/null -e 'probe kernel.trace("syscalls:sys_enter_r*") { print_backtrace() exit() }'
	[ "$(grep -c WARNING err)" = 1 ] || fail "said for each of them"
else
	prints '^ 0x[0-9a-f]* : .*do_syscall_64'
	prints '^1$'
	quiet
fi
