# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel may have several functions of a name, which BTF describes once, or in several ways: each is probed, by its address.
. "$SUITE/lib.sh"
for kernel in /usr/lib/debug/boot/vmlinux-6.1.*; do
	[ -e "$kernel" ] || skip "no kernel 6.1 is installed with debug information"
done
objcopy -g "$kernel" vmlinux || fail "objcopy does not leave debug information out"

# probes NAME HANDLER: each function of that name once.
probes() {
	n=$(nm vmlinux | awk -v name="$1" 'tolower($2) == "t" && $3 == name' | wc -l)
	[ "$n" -gt 1 ] || fail "the kernel has $n $1"
	expect 0 "$SPILE" --no-cache -v -r "$PWD/vmlinux" -p2 -e "probe kernel.function(\"$1\") { $2 }"
	[ "$(grep -c "site kernel.function(\"$1\") (kprobe: several functions are called $1)" out)" = "$n" ] || fail "not $n functions: $(cat out)"
}
probes BIT_initDStream 'println($bitD)'
probes m_next 'println(long_arg(1))' # the names of whose parameters differ
expect 1 "$SPILE" --no-cache -r "$PWD/vmlinux" -p2 -e 'probe kernel.function("m_next") { println($pos) }'
says 'cannot be found: m_next has no debug information'
expect 0 "$SPILE" --no-cache -v -r "$PWD/vmlinux" -p2 -e 'probe kernel.function("vfs_read") { println($count) }'
prints 'site kernel.function\("vfs_read"\) \(fentry: '
rm vmlinux
