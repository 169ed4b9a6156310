# SPDX-License-Identifier: GPL-2.0-or-later
# examples/syscalls: their counts of known system calls.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_python py_syscalls

# 500 calls of sched_yield(), 40 closes of what is no file, one sleep.
cat >calls.py <<'S'
import os, time
for i in range(500): os.sched_yield()
for i in range(40):
    try: os.close(999)
    except OSError: pass
time.sleep(0.2)
S
known="exec py_syscalls calls.py"
example "$known" errsnoop
has 1 '^ +40 [0-9]+ +py_syscalls +close +EBADF$'
example "$known" errsnoop -p 1
has 0 ' close '
example "$known" topsys
has 1 '^sched_yield +500$'
[ "$(sed -n 2p out)" = "CALL                      COUNT" ] || fail "wrong title"
example "$known" syscalls_by_proc
[ "$(awk '$1 == "py_syscalls" && $2 > 540 && $2 < 9000' out | wc -l)" = 1 ] || fail "wrong count"
example "$known" syscalls_by_pid
[ "$(awk '$2 == "py_syscalls" && $3 > 540 && $3 < 9000' out | wc -l)" = 1 ] || fail "wrong count"
example "$known" syscount
has 1 '^sched_yield +500 +0 +[0-9]+ +[0-9]+ +[0-9]+$'
[ "$(awk '$1 == "close" && $2 > 40 && $3 == 40' out | wc -l)" = 1 ] || fail "wrong count of errors"
[ "$(awk '$1 ~ /^(clock_nanosleep|pselect6|select)$/ && $2 == 1 && $4 >= 200000 && $4 < 9000000' out | wc -l)" = 1 ] || fail "wrong time"
example "$known" slowcalls 100
has 1 '^[0-9:]{8} [0-9]+ +py_syscalls +(clock_nanosleep|pselect6|select) +([2-9]|[1-9][0-9]+)[0-9]{2}$'
example "$known" slowcalls 60000
has 0 'py_syscalls'

# Code for all calls takes many seconds: of the script the part that is about three.
sed 's/syscall\.\*/syscall.{openat,read,close}/' "$TOP/examples/syscalls/strace.stp" >few.stp
grep -c 'syscall.{openat,read,close}' few.stp >count
[ "$(cat count)" = 2 ] || fail "strace.stp looks otherwise now"
head -c 54321 /dev/zero >known_file
cat >reads.py <<'S'
import os
fd = os.open("known_file", os.O_RDONLY)
for i in range(3): os.read(fd, 1000 + i)
os.close(fd)
S
example "exec py_syscalls reads.py" ./few.stp
has 1 '^[0-9:]{8}\.[0-9]{6} [0-9]+ +openat\(AT_FDCWD, "known_file", O_RDONLY\|O_CLOEXEC\) = 3$'
has 1 '^[0-9:]{8}\.[0-9]{6} [0-9]+ +read\(3, .*, 1000\) = 1000$'
has 1 '^[0-9:]{8}\.[0-9]{6} [0-9]+ +read\(3, .*, 1002\) = 1002$'
has 1 '^[0-9:]{8}\.[0-9]{6} [0-9]+ +exit_group\(0\) = \?$'
example "exec py_syscalls reads.py" -G times=1 ./few.stp
has 1 ' read\(3, .*, 1001\) = 1001 <[0-9]+ us>$'
printf zpcq | timeout 60 "$SPILE" syskeys >out || fail "syskeys ended with $?"
[ "$(grep -E '^[A-Z]+ +COUNT$' out | tr -s ' ')" = 'CALL COUNT
PROGRAM COUNT
CALL COUNT' ] || fail "wrong tables: $(cat out)"
