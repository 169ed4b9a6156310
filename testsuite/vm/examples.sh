# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of examples/, each briefly: the shape of what they print, and in it what the case itself has caused.
. "$SUITE/lib.sh"
E=$TOP/examples

# example COMMAND SCRIPT ARGUMENT...: with -c.
example()
{
	made 0 -c "$1" -- "$E/$2" "${@:3}"
	quiet
}

head -c 54321 /dev/zero >known_file
read_known="dd if=known_file of=/dev/null bs=777 skip=3 count=25 status=none iflag=skip_bytes"

while :; do head -c 8191 /dev/zero >/dev/null; sleep 0.05; done &
reads=$!
trap "kill $reads" EXIT
made 0 -- "$E/files/first-read.stp"
[ "$(wc -l <out)" = 1 ] || fail "not one line"
prints '^ksys_read\([0-9]+\): [0-9]+, [0-9]+$'
made 0 -- "$E/syscalls/reads.stp"
prints '^sys_read counts [0-9]+$'
trap - EXIT
kill $reads

example "$read_known" files/opens.stp
prints '^PID +COMM +FLAGS +NAME$'
prints '^[0-9]+ +dd +[0-7]{8} known_file$'

example "sh -c '$read_known; exec sleep 1'" files/read-sizes.stp
prints "^pid: +[0-9]+ hits: +[0-9]+ bytes: +[0-9]+\$"
prints '^    Hits: [0-9]+$'
prints '^    Entries: [0-9]+$'
prints '^    Dropped: 0$'

example "$read_known" files/slow-reads.stp 0
prints '^\[... ... .. [0-9:]{8} [0-9]{4}\]$'
prints '^ +512 \|@+ +(2[5-9]|[3-9][0-9])$'

example "$read_known" files/positions.stp
prints '^known_file: 54321 bytes, 777 wanted at 3 \(3, 3\)$'
prints '^known_file: 54321 bytes, 777 wanted at 18651 \(18651, 18651\)$'

example "$read_known" files/seeks.stp
prints '^COUNT +EVENT$'
prints '^[0-9]+ +whence = 1$'

example "bash -c 'for i in 1 2 3; do exec 6<>/dev/udp/127.0.0.1/9; (:); done'" memory/alloc-stacks.stp
prints '^ 0x[0-9a-f]{16} : kmem_cache_alloc_node(_noprof)?\+0x0/'
prints ' : (dup_task_struct|copy_process)\+0x'
prints '^	[0-9]+$'

# The script's own files are still open when it ends. What is freed while a handler runs is not seen, which is said.
made 0 -c true -- "$E/memory/leaks.stp" filp
prints '^0xf[0-9a-f]{15} [0-9]+ s$'
prints '^ 0x[0-9a-f]{16} : kmem_cache_alloc(_noprof)?\+0x0/'
prints ' : alloc_empty_file\+0x'

example "bash -c '/bin/true; exec true'" memory/kmalloc-callers.stp
prints '^caller: \[f[0-9a-f]{15}\] load_elf_phdrs +hits: [0-9]+ bytes: [0-9]+$'

example "bash -c '/bin/true; exec sleep 1'" memory/kmalloc-processes.stp
prints '^PID +COUNT +SIZE *$'
prints '^[0-9]+ +[0-9]+ +[0-9]+ *$'

example "$read_known" functions/trace.stp 'vfs_rea[d]'
prints '^[0-9]+ +[0-9]+ +dd +vfs_read +file=0xf[0-9a-f]{15} buf=0x[0-9a-f]+ count=0x309 pos=0xf[0-9a-f]{15}$'

example "$read_known" functions/callers.stp vfs_read
prints '^ +[0-9]+ ksys_read$'

example "$read_known" functions/line.stp 'vfs_read@fs/read_write.c:+6'
prints '^[0-9]+ +dd +file=0xf[0-9a-f]{15} buf=0x[0-9a-f]+ count=0x309 pos=0xf[0-9a-f]{15} ret='

example "$read_known" functions/time.stp 'vfs_rea*'
prints '^FUNCTION +CALLS +AVG +MAX$'
prints '^vfs_read +(2[5-9]|[3-9][0-9]) +[0-9]+ +[0-9]+$'

example "$read_known" functions/funclatency.stp 'kernel.function("vfs_read")'
prints '^vfs_read: (2[5-9]|[3-9][0-9]) calls, [0-9]+ ns on average, [0-9]+ ns at most$'
example "$read_known" functions/argdist.stp 'kernel.function("vfs_read")' '$count'
prints '^ +25  777$'
example "$read_known" functions/callgraph.stp 'kernel.function("vfs_rea[d]")'
prints '^ +[0-9]+ dd\([0-9]+\):-> vfs_read$'

example "sleep 1" cpu/idle-states.stp
prints '^CPU-[01] (cstate-[0-9]+|      0 kHz) [0-9]+ ms$'

example "bash -c 'for i in {1..5}; do sleep 0.01; done'" cpu/switches.stp
prints '^ +[^ ]+\[[0-9]+\] -> +[^ ]+\[[0-9]+\]: [0-9]+$'

if [ -z "${RUN_COMPILE_FOR:-}" ] && modprobe loop 2>/dev/null; then
	head -c 1048576 /dev/zero >/dev/shm/disk
	loop=$(losetup --find --show /dev/shm/disk)
	example "dd if=$loop of=/dev/null bs=64k count=1 skip=2 iflag=direct status=none" block/requests.stp
	prints '^ +7:[0-9]+ +R[A-Z]* +128 sectors at 256$'
	losetup -d "$loop"
fi

example "bash -c 'for i in {1..5}; do cd /nowhere; done 2>/dev/null; exec true'" syscalls/failing.stp
prints '^failures\["bash"\] *= *[0-9]+$'

made 0 -T 1 -- "$E/programs/bashreadline.stp"
quiet
example "ls" programs/malloc-sizes.stp
prints '^ *value \|-+ count$'
