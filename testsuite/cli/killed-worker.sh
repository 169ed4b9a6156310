# SPDX-License-Identifier: GPL-2.0-or-later
# The process that traces is killed itself: a busy target goes on, and no breakpoint stays. ROUNDS=200 repeats it
# (make check-rough).
. "$SUITE/lib.sh"
count() { od -An -t u8 -N 8 ticks | tr -d ' '; }
counts_on() { [ "$(count)" -gt "$1" ]; }
hits() { grep -q '00$' out; }
status() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"; }
is_free() { [ "$(status $target TracerPid)" = 0 ]; }
code() { dd if=/proc/$target/mem bs=1 skip=$((address)) count=8 2>/dev/null | od -An -t x1; }
has_no_break() { [ "$(code)" = "$before" ]; }
trap 'kill -KILL $target $spile 2>/dev/null' EXIT
offset=$(nm "$PROGS/busy" | sed -n 's/ T tick$//p')
for ((round = 0; round < ${ROUNDS:-4}; round++)); do
	rm -f ticks out
	"$PROGS/busy" ticks &
	target=$!
	wait_for 20 test -s ticks
	wait_for 20 counts_on 0
	address=$((0x$(sed -n '1s/-.*//p' /proc/$target/maps) + 0x$offset))
	before=$(code)
	return=; [ $((round % 2)) = 0 ] || return=.return
	rm -f out
	"$SPILE" --engine=user -x $target -e "global n probe process(\"$PROGS/busy\").function(\"tick\")$return { if (++n % 100 == 0) println(n) }" >out 2>err &
	spile=$!
	wait_for 60 hits
	sleep 0.0$((RANDOM % 10))
	has_no_break && fail "there is no breakpoint"
	kill -KILL "$(status "$(status $target TracerPid)" Tgid)"
	wait $spile 2>/dev/null
	wait_for 20 is_free
	wait_for 20 has_no_break
	wait_for 20 counts_on "$(count)"
	kill -0 $target || fail "the target died in round $round"
	kill -KILL $target
	wait $target 2>/dev/null
done
exit 0
