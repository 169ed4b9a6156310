# SPDX-License-Identifier: GPL-2.0-or-later
# One wish to end may arrive as two signals, such as timeout(1)'s to the process and to its group: the second is no second Ctrl-C, however
# late it is served, and the end handlers run. One that comes when these run, later, ends spile as ever.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || exit 0 # the sanitizers come before what is preloaded
# A second signal is sent at the last moment at which it belongs to the first: before spile waits no longer, or when it takes signals again.
cat >again.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int ended; // spile has waited
static void send(void)
{
	static int sent;
	if (!sent++)
		kill(getpid(), atoi(getenv("AGAIN")));
}
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	int (*real)(const sigset_t *, siginfo_t *, const struct timespec *) = dlsym(RTLD_NEXT, "sigtimedwait");
	if (!timeout || !timeout->tv_nsec) // the process that waits for the one that traces, and one that does not wait
		return real(set, info, timeout);
	ended = 1;
	if (!getenv("LATE"))
		send();
	return real(set, info, timeout);
}
// Time passes slowly: on a busy machine spile may end its probes for longer than what is one wish.
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
	int result = real(clock, ret);
	unsigned long long ns = (ret->tv_sec * 1000000000ull + ret->tv_nsec) / 1000;
	ret->tv_sec = ns / 1000000000;
	ret->tv_nsec = ns % 1000000000;
	return result;
}
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	int (*real)(int, const sigset_t *, sigset_t *) = dlsym(RTLD_NEXT, "pthread_sigmask");
	static pid_t blocked; // by this process: the command that is started gets its signals back, too
	int result = real(how, set, old);
	if (how == SIG_BLOCK && sigismember(set, SIGINT))
		blocked = getpid();
	if (how == SIG_SETMASK && blocked == getpid() && !sigismember(set, SIGINT) && (!getenv("LATE") || ended))
		send();
	return result;
}
C
gcc -shared -fPIC -o again.so again.c || fail gcc
ENGINE=${ENGINE:-user}
cp "$PROGS/ticks" ticks # other cases run it, too
script='probe begin { println("started") } probe process("'$PWD/ticks'").function("tick") { println("tick") } probe end { println("end") }'
expect 0 "$SPILE" --engine=$ENGINE -p4 -o x.spo -e "$script"
# ends STATUS PRINTED COMMAND...
ends()
{
	local want=$1 printed=$2 status
	shift 2
	rm -f out
	LD_PRELOAD=$PWD/again.so "$@" >out 2>err &
	pid=$!
	wait_for 20 grep -q started out
	kill -INT $pid
	wait $pid
	status=$?
	[ $status = $want ] || fail "status $status, not $want: AGAIN=$AGAIN $*"
	is "$printed"
}
for AGAIN in 15 1; do # SIGTERM and SIGHUP: the shell lets what it runs beside itself ignore SIGINT
	export AGAIN
	ends 0 $'started\nend' "$SPILE" -c 'sleep 100' --engine=$ENGINE -e "$script"
	ends 0 $'started\nend' "$SPILE_RUN" -c 'sleep 100' x.spo
done
export LATE=1 AGAIN=15
ends 143 started "$SPILE_RUN" -c 'sleep 100' x.spo
