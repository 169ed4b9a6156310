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
# Memory of the kernel has no symbol: those below it, of the data of each processor, are none of it.
expect 0 timeout 120 "$SPILE" -e 'probe kernel.trace("sys_enter") { println(symname(task_current()) == sprintf("0x%x", task_current()), symdata(task_current())) exit() }'
[ "$(cut -c1-3 out | sort -u)" = 10x ] || fail "a task has a name" # two processors may print before the end
# In the middle of functions, and where they are inlined: the kernel's list says where its probes are, and it makes jumps of
# most breakpoints after a while. The stack begins there. The address of a return is where the function returns to.
cat >middle.stp <<'S'
global hits
probe kernel.statement("vfs_read@fs/read_write.c:*"), kernel.function("vfs_read"), kernel.function("__do_sys_read").inline,
      kernel.function("ksys_read").callee("vfs_read"), kernel.function("ksys_read").callee("fdget_pos")
{
	if (ppid() == target())
		hits[pp(), addr(), addr() == stack(0), register("rip") - addr()]++
}
probe kernel.function("vfs_read").return, kernel.function("vfs_rea[d]").return
{
	if (ppid() == target() && symname(stack(0)) == "ksys_read")
		hits["return", addr(), addr() == stack(0), register("rip") - addr() + 1]++
}
probe kernel.function("vfs_read").return { if (ppid() == target()) println("back in ", symname(addr())) }
probe end { foreach ([point, at, is_first, behind] in hits) printf("%x %d %d %s\n", at, is_first, behind, point) }
S
expect 0 "$SPILE" -c "sh -c 'dd if=/dev/zero of=/dev/null count=2 status=none
	until cat /sys/kernel/debug/kprobes/list >list; grep -q OPTIMIZED list || [ \$((n += 1)) = 100 ]; do sleep 0.1; done
	dd if=/dev/zero of=/dev/null count=2 status=none'" middle.stp
quiet
grep -q OPTIMIZED list || fail "no probe became a jump"
prints '^back in ksys_read$'
grep -v '^back' out >places
[ "$(grep -c 'kernel.statement' places)" -ge 8 ] || fail "too few places"
[ -z "$(cut -d' ' -f4 places | sort | uniq -d)" ] || fail "a place has two addresses"
prints ' 1 1 kernel.function\("__do_sys_read@.*\.inline'
prints ' 1 1 return$'
while read -r at first behind point; do
	[ "$first" = 1 ] || fail "$point: the stack begins elsewhere"
	[ "$point" != return ] || continue
	if grep -q "^$at [tT] " /proc/kallsyms; then # what comes before the probe is part of the entry
		[ "$behind" -le 9 ] || fail "$point: the program counter is elsewhere"
	else
		[ "$behind" = 1 ] && grep -q "^$at " list || fail "$point: no probe is at $at"
	fi
done <places
