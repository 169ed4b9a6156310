# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes; and a Ctrl-C while they are set, or while the kernel looks at the handlers.
ENGINE=kernel . "$SUITE/cli/one_wish.sh"
cat >early.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
static pid_t spile; // a child of it may set the probes
__attribute__((constructor)) static void start(void)
{
	spile = getpid();
}
// BPF_LINK_CREATE of bpf(2), or what sets one probe.
long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	__builtin_va_list list;
	long a[6];
	__builtin_va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = __builtin_va_arg(list, long);
	__builtin_va_end(list);
	long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_bpf && a[0] == 28 && result >= 0) // else the kernel is asked what it has
		kill(spile, SIGINT);
	return result;
}
C
gcc -shared -fPIC -o early.so early.c || fail gcc
LD_PRELOAD=$PWD/early.so expect 0 "$SPILE_RUN" x.spo
is $'started\nend'

# What ends a session ends the process while handlers are loaded, which may take the verifier seconds: it gives up for signals that are not
# blocked alone. One that is ignored is not lost by that: the session ends when it begins.
cat >load.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/bpf.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
static int blocked; // else it is a small program that asks what the kernel has
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	int (*real)(int, const sigset_t *, sigset_t *) = dlsym(RTLD_NEXT, "pthread_sigmask");
	blocked |= how == SIG_BLOCK && sigismember(set, SIGTERM);
	return real(how, set, old);
}
long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	__builtin_va_list list;
	long a[6];
	__builtin_va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = __builtin_va_arg(list, long);
	__builtin_va_end(list);
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD && blocked)
		kill(getpid(), SIGTERM);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
C
gcc -shared -fPIC -o load.so load.c || fail gcc
LD_PRELOAD=$PWD/load.so expect 143 "$SPILE_RUN" x.spo
quiet
trap '' TERM
LD_PRELOAD=$PWD/load.so expect 0 "$SPILE_RUN" x.spo
is $'started\nend'
