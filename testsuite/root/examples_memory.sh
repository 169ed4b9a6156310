# SPDX-License-Identifier: GPL-2.0-or-later
# examples/memory and examples/locks: what the scripts tell of a program whose allocations, locks and faults are known.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_python py_memory
cp "$PROGS/locks" .

# Three pieces of 1000 bytes are never freed; one of 2000 and one of calloc(), which main() asks for, are.
example "exec ./locks" memleak -n 100
[ "$(awk '$1 ~ /^[0-9]+$/ && NF == 2 { bytes = $1; n = $2 } / leak\+0x/ { b += bytes; pieces += n } END { print b, pieces }' out)" = "3000 3" ] || fail "wrong leak"
has 0 '^ +2000 '
number '/ main\+0x/ && last ~ / [mc]alloc\+0x/ { n++ } { last = $0 } END { print !n }'
example "exec ./locks" memleak -o 60000
[ "$(wc -l <out)" = 1 ] || fail "nothing is so old"
example "exec ./locks" malloc-stacks -n 100
[ "$(awk '$1 ~ /^[0-9]+$/ && NF == 2 { n = $1; bytes = $2 } / leak\+0x/ { b += bytes; calls += n } END { print b, calls }' out)" = "3000 3" ] || fail "wrong stacks"
example "exec ./locks" malloc-stacks -p 1
[ "$(wc -l <out)" = 1 ] || fail "another process's"

# Two threads that take a lock five times each, and hold it 10 ms; before, it is held for 50 ms.
example "exec ./locks" mutexes
number '$2 == "locks" && $4 == 11 { print ($5 >= 90000 && $5 < 2000000 && $6 >= 40000 && $6 < 900000 && $7 >= 150000 && $7 < 2000000 && $8 >= 50000) }'
example "exec ./locks" futexes
number '$2 == "locks" && $4 >= 2 && $4 <= 11 { n++; us += $5 } END { print (n == 1 && us >= 90000 && us < 2000000) }'
example "exec ./locks" threadsnoop
has 2 '^[0-9:]{8} [0-9]+ +locks +take$'

# A thousand pages that are touched for the first time, once the unwind table of the module that touches them has been read.
cat >pages.py <<'S'
import mmap, time
time.sleep(0.5)
m = mmap.mmap(-1, 1000 * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(mmap.MADV_NOHUGEPAGE)
for i in range(1000): m[i * 4096] = 1
S
example "exec py_memory pages.py" faults
number '$2 == "py_memory" { print ($3 > 1000 && $3 < 9000 && $4 < 900) }'
example "exec py_memory pages.py" faultstacks -n 3
number '$2 == "py_memory" && $1 >= 1000 && $1 < 1100 { print 1 }'
example "exec py_memory pages.py" mmaps
has 1 '^[0-9]+ +py_memory +mmap\(0x0, 4096000, PROT_READ\|PROT_WRITE, MAP_PRIVATE\|MAP_ANONYMOUS, -1, 0\) = 0x[0-9a-f]+$'
cat >heap.py <<'S'
import ctypes
libc = ctypes.CDLL(None)
libc.sbrk.restype = ctypes.c_void_p
libc.sbrk(ctypes.c_long(1234567))
S
example "exec py_memory heap.py" brkstack
number '$3 == "py_memory" && $1 >= 1 && $2 >= 1234567 && $2 < 12345670 { n++ } END { print n }'
prints ' (__)?brk\+0x'

example "ipcmk -M 12345 >/dev/null; ipcrm --all=shm.no 2>/dev/null; true" shmsnoop
has 1 '^[0-9]+ +ipcmk +shmget\(0x[0-9a-f]+, 12345, IPC_CREAT\|0644\) = [0-9]+$'
ipcrm -m "$(sed -nE 's/.*12345.* = ([0-9]+)$/\1/p' out)"

# 3000 opens of a file: a struct file and a name each.
example "exec py_memory -c '
import os
for i in range(3000): os.close(os.open(\"pages.py\", os.O_RDONLY))'" slabratetop
number '$1 == "filp" { print ($2 >= 3000 && $2 < 90000 && $3 >= 400) }'
example "for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done" kmalloc-waste
number 'NR > 1 && $3 - $2 == $4 && $1 > 0 { n++ } END { print (n > 0 && n == NR - 1) }'
number '$5 == "load_elf_phdrs" { print ($1 >= 9 && $2 > 0) }'

# Processes that fight for one pipe wait for its lock, or for that of the queue.
cat >fight.py <<'S'
import os, threading, time
r, w = os.pipe()
if not os.fork():
    for i in range(20000): os.write(w, b"x")
    os._exit(0)
if not os.fork():
    for i in range(20000): os.write(w, b"x")
    os._exit(0)
n = 0
while n < 40000: n += len(os.read(r, 1))
S
# Here a loss is no fault: a handler that waits for the lock of its own map meets the tracepoint, and says that.
expect 0 timeout 120 "$SPILE" -c "exec py_memory fight.py" lockstat
tries=0
number 'NR > 1 && $1 > 0 && $2 >= 0 && $4 ~ /^(MUTEX|SPIN|READ|WRITE)$/ && $5 != "" { n += $1 } END { print (n > 0) }'

# A control group with little memory: who reads much must make room itself.
group=/sys/fs/cgroup/spile-known
if [ -e /sys/fs/cgroup/cgroup.subtree_control ] && mkdir $group 2>/dev/null; then
	if [ -e $group/memory.max ]; then
		echo 16M >$group/memory.max
		example "sh -c 'echo \$\$ >$group/cgroup.procs; exec dd if=/dev/zero of=big bs=1M count=64 status=none'" reclaims
		number '$3 == "dd" && $4 == "group" && $6 > 0 { n += $6 } END { print (n > 1000) }'
	fi
	rmdir $group
fi
