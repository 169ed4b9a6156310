# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's types take milliseconds and 14 MB to load: a session asks for them once, until its probes are attached, and then gives them back.
. "$SUITE/lib.sh"
command -v strace >/dev/null || skip "no strace"
[ -r /sys/kernel/btf/vmlinux ] || skip "the kernel has no types"
omit=$PROGS/omit

# loads SCRIPT COMMAND: how often they are loaded
loads()
{
	expect 0 "$SPILE" -w -p4 -o x.spo -e "$1"
	strace -f -e trace=openat -o calls "$SPILE_RUN" x.spo -c "$2" >seen 2>&1 || fail "$(cat seen)"
	grep -c '"/sys/kernel/btf/vmlinux"' calls
}
# Offsets of members, for the tables of unwinding, and what follows the command's processes.
n=$(loads "probe process(\"$omit\").function(\"stop_here\") { print_ubacktrace() exit() }" "$omit 3 3")
[ "$n" = 1 ] || fail "a stack: $n"
# The type of a tracepoint, the member that tells system calls of 32 bits, and the same.
n=$(loads 'probe syscall.openat { exit() }' 'cat /dev/null')
[ "$n" = 1 ] || fail "a system call: $n"
n=$(loads 'probe begin { exit() }' true)
[ "$n" = 0 ] || fail "nothing asks: $n"
