# SPDX-License-Identifier: GPL-2.0-or-later
# The process that traces is killed at one after the other of its calls that change the target: that goes on as it was. Until
# it has its handler of SIGTRAP, it may die of that signal (spile(1)), never of another one. STEP=1: at every call.
. "$SUITE/lib.sh"
ln -s "$BUILD/testsuite/faults/fault.so" . # LD_PRELOAD takes no blanks
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"
WORD=${WORD:-64} # bits
HAS_HANDLER=60 # calls
busy=$PROGS/busy
if [ $WORD = 32 ]; then
	HAS_HANDLER=999 # it has none
	busy=$PWD/busy
	need_32_bits
	gcc -m32 -g -O1 -pthread -o "$busy" "$SUITE/progs/busy.c"
fi
count() { od -An -t u8 -N 8 ticks | tr -d ' '; }
counts_on() { [ "$(count)" -gt "$1" ]; }
is_free() { [ "$(sed -n 's/^TracerPid:[[:space:]]*//p' /proc/$target/status)" = 0 ]; }
has_ended() { ! kill -0 $target 2>/dev/null; }
goes_on() { has_ended || { is_free && counts_on "$before"; }; }
code() { dd if=/proc/$target/mem bs=1 skip=$((address)) count=8 2>/dev/null | od -An -t x1; }
is_whole() { has_ended || [ "$(code)" = "$original" ]; }
masks() { sort -u <(sed -n 's/^SigBlk:[[:space:]]*0*//p' /proc/$target/task/*/status); }
trap 'kill -KILL $target 2>/dev/null' EXIT

start()
{
	rm -f ticks
	"$busy" ticks &
	target=$!
	wait_for 20 test -s ticks
	wait_for 20 counts_on 0
	address=$((0x$(sed -n '1s/-.*//p' /proc/$target/maps) + 0x$offset))
	original=$(code)
}

# killed_at CALL: is spile-run killed? False: it has ended before.
killed_at()
{
	local status
	LD_PRELOAD=$PWD/fault.so FAULT_KIND=trace FAULT_KILL=1 FAULT_AT=$1 "$SPILE_RUN" -x $target all.spo >out 2>err
	killed=$?
	before=$(count)
	wait_for 20 goes_on
	wait_for 20 is_whole
	if has_ended; then
		wait $target
		status=$?
		[ "$1" -lt $HAS_HANDLER ] && [ $status = 133 ] || fail "call $1: the target died, status $status"
	else
		[ -z "$(masks)" ] || fail "call $1: signals are blocked: $(masks)"
		kill -KILL $target
		wait $target 2>/dev/null
	fi
	[ $killed = 137 ]
}

tick="process(\"$busy\").function(\"tick\")"
expect 0 "$SPILE" --engine=user -p4 -m all -e "global n probe $tick { if (++n == 30) exit() } probe $tick.return { n += \$return < 0 }"
expect 0 "$SPILE" --engine=user -p4 -m other -e "probe process(\"$busy\").statement(\"run@busy.c:21\") { exit() }"
offset=$(nm "$busy" | sed -n 's/ T tick$//p')
call=8
while start && killed_at $call; do
	call=$((call + ${STEP:-15}))
done
[ $call -gt $((WORD * 2)) ] || fail "it ended after $call calls"
[ $WORD = 64 ] || exit 0

# A session before has left its handler, which does not know all breakpoints of this one.
start
expect 0 "$SPILE_RUN" -x $target other.spo
killed_at 120 || fail "it was not killed"
