# SPDX-License-Identifier: GPL-2.0-or-later
# The clock is set while a script runs, or the machine sleeps: times of day in the script go on as before, which is told.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the sanitizers have to be loaded first"
cat >clock.c <<'C'
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int error = syscall(SYS_clock_gettime, clock, ret);
	struct stat st;
	ret->tv_sec += clock == CLOCK_REALTIME && fstat(9, &st) == 0 && st.st_size ? 3600 : 0;
	return error;
}
C
gcc -shared -fPIC -o clock.so clock.c || fail gcc
# run ARGUMENT...: the clock is set an hour forward when the script has begun.
run()
{
	: >is_set
	LD_PRELOAD=$PWD/clock.so "$SPILE_RUN" "$@" 9<is_set >out 2>err &
	wait_for 30 grep -q begun out
	echo >is_set
	kill -INT $!
	wait $!
}
script='probe begin { println("begun") } probe timer.s(1000) { }'
expect 0 "$SPILE" -p4 -o none.spo -e "$script"
run none.spo
quiet
for options in "x.spo -w" "x.spo" "--json none.spo"; do
	expect 0 "$SPILE" -p4 -o x.spo -e "$script probe end { println(gettimeofday_s() > 0) }"
	run $options
	case $options in
	*-w) quiet ;;
	*json*) prints '"the clock was set or stood: times of day are wrong since"' ;;
	*) says '^WARNING: the clock was set or stood: times of day are wrong since$' ;;
	esac
done
