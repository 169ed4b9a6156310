# SPDX-License-Identifier: GPL-2.0-or-later
# A thread that sleeps sets the handler of SIGTRAP before there is any breakpoint, and sleeps on: nothing of it is interrupted
# or shorter, not even when the process that traces is killed at one of its calls. One that a stop would end with EINTR
# (epoll_wait) is left alone. STEP=2: at every second call.
. "$SUITE/lib.sh"
ln -s "$BUILD/testsuite/faults/fault.so" . # LD_PRELOAD takes no blanks
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"
trap 'kill -KILL $target 2>/dev/null' EXIT
is_asleep() { grep -q -E "^($number|219) " /proc/$target/syscall; } # 219: restart_syscall
is_gone_or() { ended $target || "$@"; } # on a slow machine
has_handler() { [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$target/status) >> 4 & 1)) = 1 ] && is_asleep; }

# start CALL MILLISECONDS
start()
{
	case $1 in
	nanosleep) number=35 ;;
	clock_nanosleep*) number=230 ;;
	futex*) number=202 ;;
	poll) number=7 ;;
	epoll_wait) number=232 ;;
	wait4) number=61 ;;
	esac
	"$PROGS/asleep" "$1" "$2" >said &
	target=$!
	wait_for 20 is_gone_or is_asleep
}

# woken ERROR
woken()
{
	wait $target || fail "$call: the target died, status $?"
	[ "$(cat said)" = "$1" ] || fail "$call: $(cat said)"
}

expect 0 "$SPILE" --engine=user -p4 -m wake -e "probe process(\"$PROGS/asleep\").function(\"wake\") { println(\"woken\"); exit() }"

# attach CALL MILLISECONDS: what is seen before the end of the sleep counts, which is longer on a slow machine.
attach()
{
	start $1 $2
	"$SPILE_RUN" -x $target wake.spo >out 2>err &
	tracer=$!
	[ $1 = epoll_wait ] || wait_for 20 is_gone_or has_handler
	ended $target || return 0
	wait $tracer
	[ $2 -lt 20000 ] || fail "$1: it was not seen with a handler"
	attach $1 $(($2 * 2))
}

for call in nanosleep clock_nanosleep clock_nanosleep_until futex futex_until poll wait4 epoll_wait; do
	attach $call 700
	case $call in
	futex*) woken "Connection timed out" ;;
	*) woken Success ;;
	esac
	wait $tracer || fail "$call: spile-run: $(cat err)"
	grep -q woken out || fail "$call: the probe was not hit"
done

killed=0
for at in $(seq 1 ${STEP:-5} 60); do
	[ $call = nanosleep ] && call=clock_nanosleep_until || call=nanosleep
	start $call 700
	LD_PRELOAD=$PWD/fault.so FAULT_KIND=trace FAULT_KILL=1 FAULT_AT=$at "$SPILE_RUN" -x $target wake.spo >out 2>err
	[ $? = 137 ] && killed=$((killed + 1))
	woken Success
done
[ $killed -gt 5 ] || fail "only $killed were killed"
