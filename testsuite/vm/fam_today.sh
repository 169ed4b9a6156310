# SPDX-License-Identifier: GPL-2.0-or-later
# The probe families that the library has beside SystemTap's: lock, oom, page_cache, io_uring, scheduler.runqueue_latency. Each alias
# fires, and their variables tell what is known.
. "$SUITE/lib.sh"

family 'lock\.|oom\.|page_cache\.|io_uring\.|scheduler\.runqueue'
cat >values.stp <<'S'
probe io_uring.create { if (pid() == target()) printf("create %d %d %d\n", fd > 2, sq_entries, cq_entries) }
probe io_uring.submit { if (pid() == target()) printf("submit %s %d\n", opcode_str, user_data) }
probe io_uring.complete { if (user_data == 4711) printf("complete %d\n", res) }
probe io_uring.register { if (pid() == target()) printf("register %d %s\n", opcode, errno_str(ret)) }
probe page_cache.access { if (pid() == target() && devname != "N/A") printf("access %d %d\n", index, ino > 0) }
S
cat >oom.stp <<'S'
probe oom.kill { printf("%s: %s %d\n", message, victim_name, victim_pid == pid()) }
probe oom.victim { println("victim ", victim_pid == tid()) }
probe oom.score_adj { if (pid() == target()) println("adj ", adjustment, " ", task == task_current()) }
S
# Two processes that never sleep share a processor: each waits for the other's part of it.
cat >waits.stp <<'S'
global waits
probe scheduler.runqueue_latency { if (task_name == "spin") waits <<< latency }
probe end { println(@count(waits) > 5, " ", @max(waits) > 1000000) }
S
compile -- values.stp
compile -- oom.stp
compile -- waits.stp
compiled

mkdir -p group && mount -t cgroup2 none group && echo +memory >group/cgroup.subtree_control && mkdir group/small_today &&
	echo 4M >group/small_today/memory.max || skip "there are no memory groups"
trap "rmdir group/small_today; umount group" EXIT
truncate -s 16M /dev/shm/disk.today
modprobe loop && mkfs.ext4 -q /dev/shm/disk.today && mkdir -p mnt && mount -o loop /dev/shm/disk.today mnt || skip "there is no loop device with ext4"

# Many processes want the lock of one directory.
cat >work.sh <<S
$PROGS/files mnt/known
cat mnt/known >/dev/null
$PROGS/ring mnt/known
echo 7 >/proc/self/oom_score_adj
sh -c 'echo \$\$ >group/small_today/cgroup.procs; exec $PROGS/memory eat'
for i in 1 2 3 4 5 6; do sh -c 'i=0; while [ \$i -lt 300 ]; do echo >mnt/\$\$; rm mnt/\$\$; i=\$((i + 1)); done' & done
wait
S
family_fires "bash work.sh"

made 0 -c "exec $PROGS/ring mnt/known" -- values.stp
quiet
grep -v '^access' out >values
diff - values <<'S' || fail "wrong values"
create 1 8 16
register 4 EFAULT
submit READ 4711
complete 100
S
prints '^access 0 1$'

cat >work.sh <<S
echo 7 >/proc/self/oom_score_adj
sh -c 'echo \$\$ >group/small_today/cgroup.procs; exec $PROGS/memory eat'
true
S
made 0 -c "exec bash work.sh" -- oom.stp
# The case vm/fam_vm may run beside this one, with victims of its own.
sort -u out >values
diff - values <<'S' || fail "wrong values"
Memory cgroup out of memory: memory 1
adj 7 1
victim 1
S

cp "$(command -v bash)" spin
made 0 -c "taskset 1 sh -c './spin -c \"i=0; while ((i++ < 60000)); do :; done\" & ./spin -c \"i=0; while ((i++ < 60000)); do :; done\"; wait'" -- waits.stp
is '1 1'
umount mnt
