# SPDX-License-Identifier: GPL-2.0-or-later
# The clock is set while a script runs, or the machine sleeps: times of day in the script and of --json follow it, which is told.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the sanitizers have to be loaded first"
cat >clock.c <<'C'
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#define IS_SET 9 // not empty: by two hours
#define CANCELLED 8 // where the kernel would say so
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int error = syscall(SYS_clock_gettime, clock, ret);
	struct stat st;
	ret->tv_sec += clock == CLOCK_REALTIME && fstat(IS_SET, &st) == 0 && st.st_size ? 7200 : 0;
	return error;
}
int timerfd_create(int clock, int flags)
{
	return clock == CLOCK_REALTIME ? dup(CANCELLED) : (int)syscall(SYS_timerfd_create, clock, flags);
}
int timerfd_settime(int fd, int flags, const struct itimerspec *when, struct itimerspec *before)
{
	if (flags == (TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
		return 0;
	return (int)syscall(SYS_timerfd_settime, fd, flags, when, before);
}
C
gcc -shared -fPIC -o clock.so clock.c || fail gcc
mkfifo cancelled
exec 7<>cancelled
# A pipe that is open for reading and writing waits for bytes: another opening, which does not.
cat >start.py <<'P'
import os, sys
os.dup2(os.open("cancelled", os.O_RDONLY | os.O_NONBLOCK), 8)
os.environ["LD_PRELOAD"] = os.getcwd() + "/clock.so"
os.execv(sys.argv[1], sys.argv[1:])
P
# run ARGUMENT...: the clock is set two hours forward when the script has begun.
run()
{
	: >is_set
	python3 start.py "$SPILE_RUN" "$@" 9<is_set >out 2>err &
	wait_for 30 grep -q begun out
	echo >is_set
	echo >&7
	wait_for 30 is_read
	kill -INT $!
	wait $!
}
is_read() { ! read -rt 0 <&7; }
expect 0 "$SPILE" -p4 -o none.spo -e 'probe begin { println("begun") } probe timer.s(1000) { }'
run none.spo
quiet
expect 0 "$SPILE" -p4 -o x.spo -e 'global before probe begin { before = gettimeofday_s() println("begun") } probe timer.s(1000) { }
	probe end { printf("%d hours\n", (gettimeofday_s() - before) / 3600) }'
run x.spo
prints '^2 hours$'
says "^WARNING: the clock was set or stood: times of day jumped\$"
run x.spo -w
prints '^2 hours$'
quiet

# So do the times of --json.
cat >twice.sh <<T
$PROGS/chain
touch first
until [ -e is_read ]; do sleep 0.1; done
$PROGS/chain
T
expect 0 "$SPILE" -p4 --json --engine=user -o event.spo -e "probe process(\"$PROGS/chain\").function(\"middle\") { println(\"begun\") }"
: >is_set
python3 start.py "$SPILE_RUN" --json -c "sh twice.sh" event.spo 9<is_set >out 2>err &
wait_for 30 test -e first
wait_for 30 grep -q begun out
echo >is_set
echo >&7
wait_for 30 is_read
touch is_read
wait $! || fail "exit status $?"
prints '"the clock was set or stood: times of day jumped"'
python3 - <<'P' || fail "the times of --json"
import json
times = [o["time"] for o in map(json.loads, open("out")) if "time" in o]
assert len(times) >= 2 and 7200 <= (times[-1] - times[0]) / 1e9 < 7500, times
P
