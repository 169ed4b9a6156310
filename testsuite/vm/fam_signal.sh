# SPDX-License-Identifier: GPL-2.0-or-later
# The probe family signal: each alias fires, and their variables tell what testsuite/progs/signals.c has sent.
. "$SUITE/lib.sh"

family 'signal\.'
cat >values.stp <<'S'
function mine() { return pid() == target() }
probe signal.send { if (sig_pid == target() && sig != 17) printf("%s %d %s %s %s shared %d queue %d %d\n", name, sig, sig_name, pid_name, si_code, shared, send2queue, task_pid(task) == target()) }
probe signal.checkperm.return { if (retstr != "0") println("checkperm ", retstr) }
probe signal.checkperm { if (ppid() == target()) println("checkperm ", sig_name, " ", sig_pid == 1 ? "init" : sig_pid == pid() ? "itself" : "?", " ", pid_name == task_execname(task), " ", si_code) }
probe signal.syskill { if (mine() || ppid() == target()) printf("kill %d %s %d %s\n", sig_pid == pid(), sig_name, task == task_current(), pid_name == execname() ? "itself" : "another") }
probe signal.systkill { if (mine()) printf("tkill %d %s %d\n", sig_pid == pid(), sig_name, task == task_current()) }
probe signal.systgkill { if (mine()) printf("tgkill %d %d %s %d\n", tgid == pid(), sig_pid == tid(), sig_name, task == task_current()) }
probe signal.systkill.return { if (mine()) println("tkill returns ", retstr) }
probe signal.do_action { if (mine() && sig == 10) printf("%s %s %s %s flags %x\n", name, sig_name, sa_handler > 4096 ? "handler" : "?", sigset_mask_str(sa_mask), get_sa_flags(sigact_addr) & 0x8000000) }
probe signal.procmask { if (mine() && how == 0) printf("procmask %d %s %d\n", how, sigset_mask_str(sigset), oldsigset_addr != 0) }
probe signal.pending { if (mine()) printf("pending %d %d\n", sigset_add != 0, sigset_size) }
probe signal.pending.return { if (mine()) println("pending returns ", retstr) }
probe signal.handle { if (mine()) printf("handle %s %d %s %d %d\n", sig_name, sig_code, sig_mode, get_sa_handler(ka_addr) > 4096, sigset_mask_str(get_sigset(oldset_addr)) == (sig == 14 ? "28" : "")) }
probe signal.handle { if (mine() && sig == 14) println("stack of the program: ", @cast(regs, "pt_regs", "kernel")->cs == 0x33) }
probe signal.send_sig_queue { if (sig_pid == target()) printf("timer %s %s %d\n", sig_name, pid_name, sigqueue_addr != 0) }
probe signal.force_segv { if (ppid() == target()) printf("force %s %s %d\n", sig_name, pid_name, sig_pid == pid()) }
probe signal.handle.return { if (ppid() == target() && retstr != "0") println("handler failed ", retstr) }
probe signal.check_ignored { if (mine() && sig_pid == pid() && sig == 17) println("check ", sig_name, " ", pid_name) }
probe signal.wakeup { if (sig_pid == target()) println("wakeup ", resume, " ", state_mask, " ", pid_name) }
S
echo 'probe signal.syskill { if (pid() == target()) println(sig_name) }' >none.stp
echo 'probe signal.send { if (sig == 29 && sig_pid == target()) println(sig_name) }' >names.stp
compile -- values.stp
compile -- none.stp
compile -- names.stp
compiled

cat >silent <<'S'
signal.flush the threads of a few drivers alone drop their signals
S
family_fires "$PROGS/signals"

made 0 -c "exec $PROGS/signals" -- values.stp
quiet
grep -v '^wakeup\|^send_signal 23' out >values
diff - values <<'S' || fail "wrong values"
do_action SIGUSR1 handler 12 flags 0
kill 1 SIGUSR1 1 itself
send_signal 10 SIGUSR1 signals SI_USER shared 1 queue 0 1
handle SIGUSR1 0 User Mode 1 1
tkill 1 SIGUSR1 1
send_signal 10 SIGUSR1 signals SI_TKILL shared 0 queue 0 1
tkill returns 0
handle SIGUSR1 -6 User Mode 1 1
tgkill 1 1 SIGUSR1 1
send_signal 10 SIGUSR1 signals SI_TKILL shared 0 queue 0 1
handle SIGUSR1 -6 User Mode 1 1
procmask 0 28 0
kill 1 SIGWINCH 1 itself
send_signal 28 SIGWINCH signals SI_USER shared 1 queue 0 1
pending 1 8
pending returns 0
timer SIGALRM signals 1
send_signal 14 SIGALRM signals SI_TIMER shared 1 queue 1 1
handle SIGALRM -2 User Mode 1 1
stack of the program: 1
kill 0 SIGTERM 0 another
checkperm SIGTERM init 1 SI_USER
checkperm -1 (EPERM)
kill 1 SIGUSR1 1 itself
checkperm SIGUSR1 itself 1 SI_USER
force SIGUSR1 signals 1
handler failed 1
kill 1 SIGCHLD 1 itself
check SIGCHLD signals
S
prints '^wakeup 0 TASK_INTERRUPTIBLE signals$'

# No signal at all: may one be sent?
made 0 -c 'sh -c "kill -0 1"' -- none.stp
is SIG_0
# The one that has two names.
made 0 -c 'trap : IO; kill -IO $$' -- names.stp
is SIGIO/SIGPOLL
