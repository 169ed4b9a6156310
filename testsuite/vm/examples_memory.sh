# SPDX-License-Identifier: GPL-2.0-or-later
# examples/memory: a process that needs more than its control group may have, without and with swap space.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
modprobe loop || skip "there is no module loop"
cd /sys/fs/cgroup && echo +memory >cgroup.subtree_control && mkdir known && cd - >/dev/null || skip "no control group for memory"
echo 24M >/sys/fs/cgroup/known/memory.max
echo 'x = bytearray(64 << 20); x[::4096] = b"1" * len(x[::4096]); sum(x[::4096]); sum(x[::4096])' >use.py
limited="sh -c 'echo \$\$ >/sys/fs/cgroup/known/cgroup.procs; exec /usr/bin/python3 use.py' >/dev/null 2>&1; true"
example "$limited" oomkill
has 1 '^[0-9:]{8} ([0-9]+) +python3 +\1 +python3 +[0-9]+  [0-9.]+ [0-9.]+ [0-9.]+$'
number '/python3/ { print ($6 > 1000) }'

dd if=/dev/zero of=/dev/shm/swap bs=1M count=96 status=none
loop=$(losetup --find --show /dev/shm/swap)
mkswap "$loop" >/dev/null && swapon "$loop" || skip "no swap space"
example "$limited" swapin
number '$3 == "python3" { n += $4 } END { print (n > 500) }'
example "$limited" oomkill
has 0 python3
