# SPDX-License-Identifier: GPL-2.0-or-later
# Tracers that come and go interrupt no sleep of the target, whose first thread may have ended; what marks count is as it was
# when they have gone, also when they were killed.
. "$SUITE/lib.sh"
status() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"; }
says_last() { [ "$(tail -n 1 said)" = "$1" ]; }
is_free() { [ "$(status $target TracerPid)" = 0 ]; }
trap 'kill -KILL $target $spile 2>/dev/null' EXIT
"$PROGS/rough" sleeper >said &
target=$!
wait_for 20 grep -q ready said
for _ in 1 2 3; do
	expect 0 timeout 60 "$SPILE" --engine=user -x $target -e "global n probe process(\"$PROGS/rough\").function(\"plain\") { if (++n == 2) exit() }"
	quiet
	wait_for 20 is_free
done
sleep 0.5
[ "$(cat said)" = ready ] || fail "a sleep was interrupted"
kill -0 $target || fail "the target ended"
kill -KILL $target
wait $target 2>/dev/null
# A process whose first thread has ended.
"$PROGS/rough" headless >said &
target=$!
wait_for 20 grep -q ready said
expect 0 timeout 60 "$SPILE" --engine=user -x $target -e "global n, r probe process(\"$PROGS/rough\").function(\"inner\") { n++ }
	probe process(\"$PROGS/rough\").function(\"inner\").return { if (++r == 5) exit() } probe end { println(r, \" \", n - r < 2) }"
is '5 1'
quiet
kill -KILL $target
wait $target 2>/dev/null
"$PROGS/rough" marked >said &
target=$!
wait_for 20 grep -q '^0$' said
for signal in INT KILL; do
	rm -f out
	"$SPILE" --engine=user -x $target -e "probe process(\"$PROGS/rough\").mark(\"guarded\") { println(\$arg1) }" >out 2>err &
	spile=$!
	wait_for 60 test -s out
	wait_for 20 says_last 1
	[ $signal = INT ] || spile="$spile $(status "$(status $target TracerPid)" Tgid)"
	kill -$signal $spile
	wait ${spile% *} 2>/dev/null
	wait_for 20 is_free
	wait_for 20 says_last 0
done
kill -0 $target || fail "the target died"
