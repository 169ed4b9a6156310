# SPDX-License-Identifier: GPL-2.0-or-later
# examples/cpu: what the scripts tell of two programs that want one processor, of one that spins, and of known sleeps.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_python py_cpu
cp "$PROGS/spin" .
rivals="taskset -c 0 ./spin 300 & exec taskset -c 0 ./spin 300"

example "$rivals" runqlat
number 'NR == 1 { print ($1 > 20 && $8 > 1500) }'
prints '^ *1024 \|@* +[0-9]+$|^ *2048 \|@+ +[0-9]+$'
example "$rivals" runqslower 1500
number '/^[0-9:]+ [0-9]+ +spin +[0-9]+  [^ ]+$/ { n++ } END { print (n > 10) }'
example "$rivals" runqslower 60000000
has 0 spin
example "$rivals" runqlen
number '$1 == "0" && $2 > 15 && $3 > 0.4 && $4 >= 1 { print 1 }'
example "exec ./spin 300" cpuwalk
number 'NR > 1 { n += $2 } END { print (n > 2 && n < 70) }'

# Of 300 ms on one processor most are in long stretches.
example "$rivals" cpudist
number 'NR == 1 { print ($1 > 20 && $8 > 1500) }'
example "sleep 0.3" cpudist -o
number 'NR == 1 { print ($8 > 299000) }'

cat >sleeps.py <<'S'
import time
for i in range(5): time.sleep(0.03)
S
sleeps="exec py_cpu sleeps.py"
example "$sleeps" offcputime -n 1 -s
number 'NR == 2 { print ($1 >= 150000 && $1 < 250000 && $2 == 5 && $3 == "py_cpu") }'
prints ' (hrtimer_nanosleep|common_nsleep|common_nsleep_timens)\+0x'
example "$sleeps" offcputime -p 1
has 0 py_cpu
example "$sleeps" wakeuptime -n 500
number '$4 == "py_cpu" { us += $1; n += $2 } END { print (us >= 150000 && n >= 5) }'
prints ' hrtimer_wakeup\+0x'
example "$sleeps" offwaketime -n 500
number '$3 == "py_cpu" { us += $1; n += $2 } END { print (us >= 150000 && n >= 5) }'
prints ' hrtimer_wakeup\+0x'
prints ' (hrtimer_nanosleep|common_nsleep|common_nsleep_timens)\+0x'
example "$sleeps" latencytap -n py_cpu
number '$1 == "py_cpu" && $2 == "clock_nanosleep" && $3 == 5 && $4 >= 150000 && $6 >= 30000 { print 1 }'
example "sleep 1.25" naptime
has 1 '^[0-9:]{8} [0-9]+ +[^ ]+ +[0-9]+ +sleep +1\.250000$'
example "$sleeps" naptime
has 5 '^[0-9:]{8} [0-9]+ +[^ ]+ +[0-9]+ +py_cpu +0\.0(29|30)[0-9]{3}$'
example "$sleeps" sleeptime
number '$2 == "py_cpu" && $3 == 5 && $4 >= 150000 && $5 >= 30000 && $5 < 90000 { print 1 }'

cat >waits.py <<'S'
import select, signal, time, threading
for i in range(3): select.select([], [], [], 0.01)
poll = select.poll(); epoll = select.epoll(); lock = threading.Lock(); lock.acquire()
for i in range(4): poll.poll(10)
for i in range(5): epoll.poll(0.01)
for i in range(6): lock.acquire(timeout=0.01)
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
time.sleep(0.01)
S
example "exec py_cpu waits.py" timeout
has 1 '^[0-9]+ +py_cpu +4 +3 +5 +1 +6 +1 +20$'

example "exec ./spin 400" profile -n 1
number 'NR == 2 { print ($1 > 8 && $1 < 60 && $2 == "spin") }'
prints ' spin_until\+0x'
example "exec ./spin 400" pf
number 'NR == 2 { print ($1 > 60 && $1 < 500 && $2 > 60 && $3 == "spin" && $4 == "spin_until") }'
example "exec ./spin 400" thread-times
number '$2 == "spin" && $3 > 15 && $3 <= 100 && $4 < 20 { print 1 }'
example "exec ./spin 300" schedtimes
number '$2 == "spin" && $3 > 60000 && $3 < 400000 && $5 < 50000 { print 1 }'
example "$sleeps" schedtimes
number '$2 == "py_cpu" && $5 >= 150000 && $5 < 300000 { print 1 }'
example "exec py_cpu -c '
import os
for i in range(40): os.sched_setaffinity(0, {i % 2})'" migrations
number '$2 == "py_cpu" && $3 >= 39 && $3 < 60 { print 1 }'

# A disk's and the network's interrupts come at any time; the ticks of spinning processors surely do.
example "dd if=/dev/zero of=here bs=64k count=20 oflag=direct status=none; sync" hardirqs
number '$3 >= 1 && $4 >= 0 && $5 <= $6 && $6 > 0 && /virtio|nvme|ata|ahci|blk|timer/ { n++ } END { print (n > 0) }'
example "exec ./spin 300" softirqs -d
number '$1 ~ /^(TIMER|SCHED|RCU)$/ && NF == 5 && $2 > 1 && $4 <= $5 { n++ } END { print (n > 1) }'
prints '^TIMER +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+$'
prints '^ *1024 \|@* +[0-9]+$'
example "sleep 0.3" softirqs
has 0 '\|'
example "$sleeps" periodic
number '$4 == "hrtimer_wakeup" && $1 >= 5 && $2 > 0 { print 1 }'
# Each end of a program of the kernel's is such work.
example "sleep 0.2; sync" wqlat
number 'NR > 1 && $2 > 0 && $3 <= $4 && $5 <= $6 { n++ } END { print (n > 1) }'

# Virtual machines often have no counters.
tries=0
timeout 20 "$SPILE" -c "exec ./spin 300" llcstat >out 2>err
case $? in
0) number '$2 == "spin" && $4 > 0 && $6 >= 0 && $6 <= 100 { n++ } END { print (n > 0) }' ;;
3) says '^ERROR: cannot attach probe perf.type\(0\).config\(2\).sample\(10000\) \(perf event\): this machine has no event' ;;
*) fail "llcstat" ;;
esac
