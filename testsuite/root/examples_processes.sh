# SPDX-License-Identifier: GPL-2.0-or-later
# examples/processes: what the scripts tell of known processes, their programs, ends and signals.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_python py_processes

cat >programs.sh <<'S'
for i in 1 2 3; do /bin/echo known $i >/dev/null; done
/bin/nothing
bash -c 'kill -KILL $$'
exit 3
S
known="bash programs.sh 2>/dev/null || true"
example "$known" execsnoop
has 1 '^[0-9:]{8} [0-9]+ +[0-9]+ +0 +echo +/bin/echo known 1$'
has 3 ' /bin/echo known [123]$'
has 0 '/bin/nothing'
example "$known" execsnoop -x
has 3 ' /bin/echo known [123]$'
has 1 '^[0-9:]{8} [0-9]+ +[0-9]+ +0 +bash +ENOENT +/bin/nothing$'
example "$known" execsnoop -u 4711
has 0 'known'

example "$known" exitsnoop
has 3 '^[0-9:]{8} [0-9]+ +[0-9]+ +echo +[0-9]+ 0$'
has 1 '^[0-9:]{8} [0-9]+ +[0-9]+ +bash +[0-9]+ KILL$'
has 1 '^[0-9:]{8} [0-9]+ +[0-9]+ +bash +[0-9]+ 3$'
example "$known" exitsnoop -x
has 0 ' 0$'
has 1 ' bash +[0-9]+ KILL$'
example "sleep 0.3" exitsnoop
[ "$(awk '$4 == "sleep" && $5 >= 300 && $5 < 2000' out | wc -l)" = 1 ] || fail "wrong age"

cat >signals.sh <<'S'
sleep 9 & victim=$!
kill -KILL $victim
wait $victim
kill -TERM 99999999
kill -0 $$
trap : USR1
kill -USR1 $$; kill -USR1 $$
exit 0
S
example "exec bash signals.sh 2>/dev/null" killsnoop
has 1 '^[0-9:]{8} [0-9]+ +bash +kill +KILL +[0-9]+ *$'
has 1 '^[0-9:]{8} [0-9]+ +bash +kill +TERM +99999999 ESRCH$'
has 1 '^[0-9:]{8} [0-9]+ +bash +kill +0 +[0-9]+ *$'
has 2 '^[0-9:]{8} [0-9]+ +bash +kill +USR1 +[0-9]+ *$'
example "exec bash signals.sh 2>/dev/null" killsnoop -s 9
has 1 ' bash +kill +KILL '
has 0 'USR1'
example "exec bash signals.sh 2>/dev/null" killsnoop -x
has 1 ' bash +kill '
example "exec bash signals.sh 2>/dev/null" sigmon -s 10
has 2 '^([0-9]+) +bash +USR1 +\1 +bash +delivered$'
example "exec bash signals.sh 2>/dev/null" sigmon
has 1 '^[0-9]+ +bash +KILL +[0-9]+ +(bash|sleep) +delivered$'
example "exec bash signals.sh 2>/dev/null" sigkill
has 1 '^[0-9:]{8} [0-9]+ +(bash|sleep) +[0-9]+ +bash +0$'

example "bash programs.sh 2>/dev/null || true" forktracker
has 3 '^[0-9:]{8} [0-9]+ +echo +becomes /bin/echo$'
has 3 '^[0-9:]{8} [0-9]+ +echo +ends$'
has 5 '^[0-9:]{8} [0-9]+ +bash +makes process [0-9]+$'

example "for i in 1 2 3 4 5 6 7 8 9; do true & wait; done; exec py_processes -c '
import threading
for i in range(12): t = threading.Thread(target=print); t.start(); t.join()' >/dev/null" pidpersec
[ "$(awk 'NR > 1 { p += $2; t += $3 } END { print (p >= 9 && p < 200 && t >= 12 && t < 200) }' out)" = 1 ] || fail "wrong sums"

example "sh -c 'cat /dev/null; true'; true" pstrace_exec cat
has 1 '^ cat\([0-9]+\) (ba|da)?sh\([0-9]+\) (ba|da)?sh\([0-9]+\) spile\([0-9]+\) '
[ "$(wc -l <out)" = 1 ] || fail "other programs"
cat >fails.py <<'S'
import os
for i in range(3):
    try: os.open("/nowhere/to/be/found", os.O_RDONLY)
    except OSError: pass
try: os.close(999)
except OSError: pass
os._exit(7)
S
example "py_processes fails.py; true" whythefail
prints '^py_processes\[[0-9]+\] ends: status 7$'
[ "$(grep -A4 '^py_processes' out | tail -n 4 | tr -d '\n')" = "  close() = EBADF  openat() = ENOENT  openat() = ENOENT  openat() = ENOENT" ] || fail "wrong calls"
cat >dies.sh <<'S'
bash -c 'kill -SEGV $$'
exit 0
S
example "bash dies.sh 2>/dev/null" whythefail
prints '^bash\[[0-9]+\] ends: signal SEGV$'
example "sleep 0.1; sleep 0.2; true" waits
number 'NR > 1 && $2 ~ /sh$/ && $4 >= 90 { n++ } END { print (n == 2) }'

cat >show.py <<'S'
import os, pty, time
master, slave = pty.openpty()
os.write(slave, b"before\n")
open("tty", "w").write(os.ttyname(slave)[5:])
while not os.path.exists("go"): time.sleep(0.01)
os.write(slave, b"known words\n")
S
py_processes show.py &
wait_for 10 test -s tty
example "touch go; sleep 0.5" ttysnoop "$(cat tty)"
wait
is 'known words'
