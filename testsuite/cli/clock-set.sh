# SPDX-License-Identifier: GPL-2.0-or-later
# The clock is set back an hour while output is waited for: the end is not waited for that long.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the sanitizers have to be loaded first"
cat >clock.c <<'C'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int error = syscall(SYS_clock_gettime, clock, ret);
	ret->tv_sec += clock == CLOCK_REALTIME ? 3600 : 0; // before it is set back
	return error;
}
C
gcc -shared -fPIC -o clock.so clock.c || fail gcc
mkfifo pipe
exec 3<>pipe # nobody reads it
trap '[ -z "${spile-}" ] || kill -KILL $spile 2>/dev/null' EXIT
"$SPILE" -p4 -o x.spo -DMAXACTION=100000000 -e 'probe begin { for (i = 0; i < 400000; i++) println("0123456789012345678901234567890123456789") }' >log
LD_PRELOAD=$PWD/clock.so "$SPILE_RUN" x.spo >pipe 2>err &
spile=$!
full() { [ "$(python3 -c 'import fcntl, struct; print(struct.unpack("i", fcntl.ioctl(3, 0x541b, b"    "))[0])')" -ge 60000 ]; }
wait_for 20 full
kill -TERM $spile
wait_for 20 ended $spile
