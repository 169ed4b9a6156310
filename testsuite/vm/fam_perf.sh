# SPDX-License-Identifier: GPL-2.0-or-later
# The probe family perf: the software events fire. Those of the hardware cannot: the guest's processor counts nothing.
. "$SUITE/lib.sh"
truncate -s 16M /dev/shm/disk.perf
modprobe loop && mkfs.ext4 -q /dev/shm/disk.perf && mkdir -p mnt && mount -o loop /dev/shm/disk.perf mnt || skip "there is no loop device with ext4"
cp "$(command -v bash)" mnt/program
umount mnt && mount -o loop /dev/shm/disk.perf mnt || exit 1

# What a program touches after its pages have left the cache are major faults; a task with one processor and then another moves.
cat >work.sh <<'S'
i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
mnt/program -c :
for i in 1 2 3; do taskset 1 sh -c 'taskset -p 2 $$ >/dev/null; sleep 0.01; taskset -p 1 $$ >/dev/null'; done
S
{
	echo "global fired"
	for event in page_faults page_faults_min page_faults_maj context_switches cpu_migrations; do
		echo "probe perf.sw.$event.sample(1) { fired[\"$event\"]++ }"
	done
	echo "probe perf.sw.cpu_clock.hz(100), perf.sw.task_clock.sample(1000000) { fired[pn()]++ }"
	echo 'probe end { foreach (name in fired) println(name) }'
} >fired.stp
expect 0 "$SPILE" -c "bash work.sh" fired.stp
quiet
sort out >fired
diff - fired <<'S' || fail "not all have fired"
context_switches
cpu_migrations
page_faults
page_faults_maj
page_faults_min
perf.sw.cpu_clock.hz(100)
perf.sw.task_clock.sample(1000000)
S
umount mnt
