# SPDX-License-Identifier: GPL-2.0-or-later
# Addresses and registers of kernel probes.
. "$SUITE/lib.sh"
cat >probe.stp <<'S'
function where(what) { printf("%s %s %x %d %d %d\n", what, probemod(), addr(), user_mode(), is_return(), uaddr() > 0 && uaddr() < 0x7fffffffffff) }
probe kernel.function("vfs_read") { if (pid() == target()) where("fentry") }
probe kernel.function("vfs_read") { if (pid() == target() && register("rdi") == pointer_arg(1) && @kregister(5) == $file) where("kprobe") }
probe kernel.function("vfs_rea[d]") { if (pid() == target()) where("multi") }
probe kernel.function("vfs_read").return { if (pid() == target() && addr() < 0) printf("return %d\n", is_return()) }
S
expect 0 "$SPILE" -c "cat /dev/null" probe.stp
address=$(awk '$3 == "vfs_read" { print $1; exit }' /proc/kallsyms)
for hook in fentry kprobe multi; do
	near=$(awk -v h=$hook '$1 == h { print $3; exit }' out)
	grep -q "^$hook kernel $near 0 0 1$" out || fail "$hook says something else"
	# behind the mark of an indirect jump's target
	[ $((0x$near - 0x$address)) = 0 ] || [ $((0x$near - 0x$address)) = 4 ] || fail "$hook: $near is not $address"
done
prints '^return 1$'
# A variable of the kernel where the probe itself names no place in it.
expect 0 timeout 120 "$SPILE" -e 'probe timer.profile { println(@var("jiffies_64@kernel/time/timer.c") > 0) exit() }'
is 1
