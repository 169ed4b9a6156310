# SPDX-License-Identifier: GPL-2.0-or-later
# Watchpoints on a variable of the kernel: what writes and reads it, and what the handler reads there then.
. "$SUITE/lib.sh"
value=$(cat /proc/sys/vm/swappiness)
expect 0 "$SPILE" -w -c "bash -c 'echo 61 >/proc/sys/vm/swappiness; echo 62 >/proc/sys/vm/swappiness'" -e '
probe kernel.data("vm_swappiness").write {
	printf("%s %d %d\n", execname(), @var("vm_swappiness@mm/vmscan.c"), probefunc() =~ "^do_proc_dointvec") }'
echo "$value" >/proc/sys/vm/swappiness
is 'bash 61 1
bash 62 1'
expect 0 "$SPILE" -w -c "cat /proc/sys/vm/swappiness >/dev/null" -e '
global by
probe kernel.data("vm_swappiness").rw { by[execname()] = 1 }
probe end { println("cat" in by) }'
is 1
expect 1 "$SPILE" -e 'probe kernel.data("nosuch_variable").write { println(1) }'
says 'nothing matches kernel.data\("nosuch_variable"\).write'
expect 1 "$SPILE" -e 'probe kernel.data("vm_swapiness").write { println(1) }'
says "^    hint: did you mean 'vm_swappiness'\?\$"
expect 1 "$SPILE" -e 'probe begin { println(@var("vm_swapiness")) }'
says "^    hint: did you mean 'vm_swappiness'\?\$"
