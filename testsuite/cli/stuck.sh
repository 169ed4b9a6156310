# SPDX-License-Identifier: GPL-2.0-or-later
# A process that traces and does not answer is killed by the fifth wish to end, and one that was stopped ends by the first; the target goes on.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || exit 0 # the sanitizers come before what is preloaded
cat >deaf.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
static int is_worker;
int setpgid(pid_t pid, pid_t group)
{
	int (*real)(pid_t, pid_t) = dlsym(RTLD_NEXT, "setpgid");
	is_worker = 1;
	return real(pid, group);
}
int epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
	int (*real)(int, struct epoll_event *, int, int) = dlsym(RTLD_NEXT, "epoll_wait");
	sigset_t all;
	sigfillset(&all);
	for (; is_worker && getenv("DEAF"); pause())
		sigprocmask(SIG_BLOCK, &all, NULL);
	return real(fd, events, max, timeout);
}
C
gcc -shared -fPIC -o deaf.so deaf.c || fail gcc
cp "$PROGS/hostile" .
./hostile unserved >said &
target=$!
trap 'kill -9 $target $spile $worker 2>/dev/null' EXIT
wait_for 10 grep -q ready said
start()
{
	rm -f out
	LD_PRELOAD=$PWD/deaf.so "$SPILE" --engine=user -x $target \
		-e "probe begin { println(\"started\") } probe process(\"$PWD/hostile\").function(\"work\") { println(1) }" >out 2>err &
	spile=$!
	wait_for 20 grep -q started out
	read -r worker _ </proc/$spile/task/$spile/children
}
DEAF=yes start
for ((i = 0; i < 100; i++)); do
	kill -TERM $spile 2>/dev/null || break
	sleep 0.05
done
[ $i -lt 100 ] || fail "it goes on"
[ $i -ge 5 ] || fail "after $i signals"
wait $spile
status=$?
[ $status = 137 ] || fail "status $status"
kill -0 $target || fail "the target has ended"

is_free() { grep -qx 'TracerPid:[[:space:]]*0' /proc/$target/status; }
wait_for 20 is_free
start
kill -STOP "$worker"
is_stopped() { grep -q '^State:.*T' "/proc/$worker/status"; }
wait_for 10 is_stopped
kill -TERM $spile
wait_for 20 ended $spile
wait $spile
status=$?
[ $status = 0 ] || fail "status $status of one whose worker was stopped"
kill -0 $target || fail "the target has ended"
