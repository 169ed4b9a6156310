# SPDX-License-Identifier: GPL-2.0-or-later
# spile may be killed while the user engine probes a process that it did not start: that goes on, and no breakpoint stays.
. "$SUITE/lib.sh"
count() { od -An -t u8 -N 8 ticks | tr -d ' '; }
counts_on() { [ "$(count)" -gt "$1" ]; }
hits() { grep -q '^[0-9]*00$' out; }
is_free() { grep -q '^TracerPid:[[:space:]]*0$' /proc/$target/status; }
probe()
{
	rm -f out
	"$1" --engine=user -x $target "${@:2}" >out 2>err &
	spile=$!
	wait_for 60 hits
}
script="global n probe process(\"$PROGS/busy\").function(\"tick\") { if (++n % 100 == 0) println(n) } probe end { println(\"end\") }"
"$PROGS/busy" ticks &
target=$!
trap 'kill -KILL $target 2>/dev/null' EXIT
wait_for 20 test -s ticks
wait_for 20 counts_on 0
expect 0 "$SPILE" --engine=user -p4 -m busy -e "$script"
for signal in KILL INT TERM KILL; do
	if [ $signal = INT ]; then probe "$SPILE_RUN" busy.spo; else probe "$SPILE" -e "$script"; fi
	kill -$signal $spile
	wait $spile 2>/dev/null
	status=$?
	case $signal in
	KILL) want=137 ;;
	*) want=0; [ "$(tail -n 1 out)" = end ] || fail "no end handler after SIG$signal" ;;
	esac
	[ $status = $want ] || fail "exit status $status after SIG$signal"
	wait_for 20 is_free
	wait_for 20 counts_on "$(count)"
	kill -0 $target || fail "the target died after SIG$signal"
done
quiet
# stap_pid() is the process that the script runs in, also where that is another one than was started.
expect 0 timeout 60 "$SPILE" --engine=user -x $target -e "probe begin { println(pid() == stap_pid(), module_name() == sprintf(\"spile_%d\", pid())) exit() }
	probe process(\"$PROGS/busy\").function(\"tick\") { println(1) }"
is 11

# The parent is killed before its child can be told of that: the child looks.
! grep -q -e -fsanitize "$BUILD/Makefile" || exit 0 # sanitizers come before what is preloaded
gcc -shared -fPIC -o late.so -x c - <<'C' || fail "gcc"
#define _GNU_SOURCE
#include <linux/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	if (what == PR_SET_PDEATHSIG)
		for (pid_t parent = getppid(); getppid() == parent;)
			usleep(1000);
	return syscall(SYS_prctl, what, a, b, c, d);
}
C
LD_PRELOAD=$PWD/late.so "$SPILE_RUN" --engine=user -x $target busy.spo >out 2>err &
spile=$!
has_child() { [ -n "$(cat /proc/$spile/task/$spile/children)" ]; }
wait_for 20 has_child
child=$(cat /proc/$spile/task/$spile/children)
kill -KILL $spile
is_gone() { ! kill -0 $child 2>/dev/null; }
wait_for 20 is_gone
is_free || fail "it is still traced"
wait_for 20 counts_on "$(count)"
