# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes; and a Ctrl-C while they are set, or while the kernel looks at the handlers.
ENGINE=kernel . "$SUITE/cli/one_wish.sh"
cat >early.c <<'C'
#include "preload_syscall.h"
static pid_t spile; // a child of it may set the probes
__attribute__((constructor)) static void start(void)
{
	spile = getpid();
}
static void before(long number, const long *a)
{
}
// BPF_LINK_CREATE of bpf(2), or what sets one probe.
static void after(long number, const long *a, long result)
{
	if (number == SYS_bpf && a[0] == BPF_LINK_CREATE && result >= 0) // else the kernel is asked what it has
		kill(spile, SIGINT);
}
C
gcc -shared -fPIC -I "$SUITE" -o early.so early.c || fail gcc
LD_PRELOAD=$PWD/early.so expect 0 "$SPILE_RUN" x.spo
is $'started\nend'

# What ends a session ends the process while handlers are loaded, which may take the verifier seconds: it gives up for signals that are not
# blocked alone. One that is ignored is not lost by that: the session ends when it begins.
cat >load.c <<'C'
#include "preload_syscall.h"
static int blocked; // else it is a small program that asks what the kernel has
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	int (*real)(int, const sigset_t *, sigset_t *) = dlsym(RTLD_NEXT, "pthread_sigmask");
	blocked |= how == SIG_BLOCK && sigismember(set, SIGTERM);
	return real(how, set, old);
}
static void before(long number, const long *a)
{
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD && blocked)
		kill(getpid(), SIGTERM);
}
static void after(long number, const long *a, long result)
{
}
C
gcc -shared -fPIC -I "$SUITE" -o load.so load.c || fail gcc
LD_PRELOAD=$PWD/load.so expect 143 "$SPILE_RUN" x.spo
quiet
# ... also with a monitor, which has not taken the screen yet.
printf 'wait ^status 143$\nwait ^ icanon$\n' >keys
LD_PRELOAD=$PWD/load.so python3 "$SUITE/term.py" 12 60 keys "$BASH" -c "$SPILE"' -w --monitor -e "probe kernel.trace(\"sched_switch\") { println(cpu()) }"
echo status $?; stty -a | grep -o " icanon"; sleep 1' >shown || fail "$(cat shown)"
trap '' TERM
LD_PRELOAD=$PWD/load.so expect 0 "$SPILE_RUN" x.spo
is $'started\nend'
