# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers at one place in the kernel run in the order of the script, whatever hook they have.
. "$SUITE/lib.sh"
# order HOOK POINTS [EXTRA]: three probes of the same points; EXTRA is text that asks for a hook.
order()
{
	local text=${3:-'""'}
	expect 0 timeout 300 "$SPILE" -v -c "dd if=/dev/zero of=/dev/null bs=1 count=2 status=none" -e "
		probe $2 { if (pid() == target()) println(\"a\", $text) }
		probe $2 { if (pid() == target()) println(\"b\", $text) }
		probe $2 { if (pid() == target()) println(\"c\", $text) }"
	[ "$(grep -cE "^probe .*: $1(\.multi)?[:,]" err)" -ge 3 ] || fail "not by $1"
	awk '$0 != substr("abc", n % 3 + 1, 1) { exit 1 } { n++ } END { exit n < 3 || n % 3 }' out || fail "not in order: $1"
}
registers='substr("", 0, register("rax") & 1)'
order fentry 'kernel.function("vfs_read")'
order fexit 'kernel.function("vfs_read").return'
order kprobe 'kernel.function("vfs_read")' "$registers"
order kretprobe 'kernel.function("vfs_read").return' "$registers"
order kprobe 'kernel.statement("vfs_read@fs/read_write.c:*")'
# Several functions: one link each program, where the kernel has such.
order kprobe 'kernel.function("vfs_rea[d]"), kernel.function("vfs_rename")' "$registers"
order kretprobe 'kernel.function("vfs_rea[d]").return, kernel.function("vfs_rename").return' "$registers"
