# SPDX-License-Identifier: GPL-2.0-or-later
# The probe families scheduler and kprocess: each alias fires, and their variables tell what is known of the processes.
. "$SUITE/lib.sh"

family 'scheduler\.|(dw_|tp_|)kprocess\.'
cat >values.stp <<'S'
global known, parent, state, missing
probe kprocess.exec {
  if (filename == "./nosuch") missing = pid()
  if (filename == "./known" || filename == "./nosuch") printf("%s [%s] [%s] %s\n", name, filename, args, argstr)
}
probe kprocess.exec_complete {
  if (success && execname() == "known") { known = pid() parent = ppid() printf("%s %d %s\n", name, errno, retstr) }
  if (missing && pid() == missing) printf("%d %s\n", success, retstr)
}
probe scheduler.signal_send { if (known && pid == known) printf("signal %d\n", signal_number) }
probe scheduler.cpu_on { if (known && pid() == known && state == 0) state = 1 }
probe scheduler.cpu_off { if (known && task_pid(task_prev) == known && state == 1) { state = 2 printf("off: idle %d, current %d\n", idle, task_prev == task_current()) } }
probe kprocess.exit { if (known && pid() == known) printf("exit %d\n", code >> 8) }
probe scheduler.process_exit { if (known && pid == known) printf("%s %d %d\n", name, pid == pid(), priority) }
probe kprocess.release { if (known && released_pid == known) printf("release %d %d %d %s\n", released_tid == known, pid == known, pid() == parent, task_execname(task)) }
S
# Who makes whom, and who wakes whom.
cat >made.stp <<'S'
global made, told
probe kprocess.create { if (pid() == target()) { made = new_pid println("made ", new_pid == new_tid) } }
probe tp_kprocess.create { if (pid() == target()) println("task ", task_pid(task) == new_pid, " ", task_tid(task) == new_tid) }
probe scheduler.process_fork { if (pid() == target()) println("fork ", parent_pid == tid(), " ", child_pid > 0) }
probe kprocess.start { if (made && pid() == made) println("start ", ppid() == target()) }
probe scheduler.wakeup_new { if (made && task_pid == made) println("new ", task_tid == made, " ", task_priority, " ", task_cpu == task_cpu(task)) }
probe scheduler.ctxswitch {
  if (made && next_pid == made && !told++)
    println("to ", next_task_name, " ", next_tid == made, " ", next_priority, " ", nexttsk_state, " ", task_tid(next_task) == made, " ",
	    prev_tid == tid(), " ", prev_pid == pid(), " ", prev_task_name == execname(), " ", prev_task == task_current())
}
S
# Handlers wait for seconds: the emulator itself may stand still for a second, while its clock goes on.
compile -D MAXTRYLOCK=8192 -D TRYLOCKDELAY=1000 -- values.stp
compile -- made.stp
compiled

command -v strace >/dev/null || skip "strace is not installed"

# A module with threads of the kernel, which end with the module; a tracer, which waits until a task is off its processor; more
# processes than processors.
cat >work.sh <<'S'
modprobe pktgen || exit 1
strace -o /dev/null true
for i in 1 2 3; do taskset 1 sh -c 'sleep 0.05; kill -URG $$'; taskset 2 sh -c 'sleep 0.05; kill -URG $$'; done
for i in 1 2 3 4; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' & done
sleep 0.2
wait
modprobe -r pktgen
exec true
S
family_fires "bash work.sh"

# A process that is known in all of its life: by a name of its own, with arguments, until it ends with status 3.
cp "$(command -v bash)" known
cat >work.sh <<'S'
./known -c 'kill -URG $$; exit 3' "two words" x
./nosuch x
true
S
made 0 -c "bash work.sh 2>/dev/null" -- values.stp
# A processor of an emulated guest may rest for longer than that while its handler has the lock.
grep -vE '^WARNING: (Number of errors: 0, skipped probes: |.*\(another handler had the lock: )' err >other
[ ! -s other ] || fail "$(cat other)"
grep -v '^off' out >others
diff - others <<'S' || fail "wrong values"
execve [./known] [./known -c kill -URG $$; exit 3 two words x] ./known -c kill -URG $$; exit 3 two words x
execve 0 0
signal 23
exit 3
process_exit 1 120
release 1 1 1 known
execve [./nosuch] [./nosuch x] ./nosuch x
0 -2 (ENOENT)
S
prints '^off: idle 0, current 1$'

made 0 -c "bash -c '/bin/true; exit 0'" -- made.stp
quiet
sort out >sorted
diff - sorted <<'S' || fail "wrong values"
fork 1 1
made 1
new 1 120 1
start 1
task 1 1
to bash 1 120 0 1 1 1 1 1
S
