# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that read the kernel's variables and its stack.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -c 'cat /proc/loadavg' -e 'probe kernel.function("loadavg_proc_show") { if (pid() == target())
  printf("%s\n%d %d %d\n", sprint_loadavg(), get_loadavg_index(0) < 100, addr_to_node(task_current()), is_myproc()) }'
[ "$(cut -d' ' -f1-3 out | sort -u | grep -c '\.')" = 1 ] || fail "/proc/loadavg has other numbers"
prints '^1 0 1$'
expect 0 "$SPILE" -c 'cat /proc/loadavg' -e 'probe kprobe.function("vfs_read") { if (pid() == target() && !seen++) {
  println(stack_used() + stack_unused() == stack_size(), stack_used() > 100, stack_used() < 8000, " ", probe_type(), registers_valid()) print_regs() } } global seen'
prints '^111 kprobe1$'
prints '^RIP: ffffffff[0-9a-f]{8}$'
# A partition of a disk, and the disk.
modprobe loop && truncate -s 8M disk && device=$(losetup -fP --show "$PWD/disk") && addpart "$device" 1 2048 4096 || fail "no loop device"
expect 0 "$SPILE" -c "cat $device ${device}p1 >/dev/null" -e 'probe kernel.trace("block_bio_queue") { if (pid() == target()) n[bdev_partno($bio->bi_bdev)]++ }
global n probe end { foreach (k+ in n) println(k) }'
is '0
1'
delpart "$device" 1
losetup -d "$device"
# A kernel takes 38 trampolines at a function: further handlers there are of kprobes.
for i in $(seq 40); do echo "probe kernel.function(\"vfs_read\") { if (pid() == target() && \$count == 4321) n[$i]++ }"; done >crowd.stp
echo 'global n probe end { foreach (i in n) { all++ hits += n[i] } println(all, " ", hits) }' >>crowd.stp
expect 0 "$SPILE" -v -c "dd if=/dev/zero of=/dev/null bs=4321 count=1 status=none" crowd.stp
is '40 40'
[ "$(grep -c ': kprobe: the kernel takes no more trampolines at a function$' err)" = 8 ] || fail "not 8 kprobes"

# A program's address is none of the kernel's, which numbers variables of each processor from 0.
expect 0 "$SPILE" -e 'probe begin { println(symname(0x555555555555)) exit() }'
is 0x555555555555
