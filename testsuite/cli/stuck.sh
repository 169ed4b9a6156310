# SPDX-License-Identifier: GPL-2.0-or-later
# A process that traces and does not answer, here as it has been stopped, is killed by the fifth wish to end; the target goes on.
. "$SUITE/lib.sh"
cp "$PROGS/hostile" .
./hostile unserved >said &
target=$!
trap 'kill -9 $target 2>/dev/null' EXIT
wait_for 10 grep -q ready said
"$SPILE" --engine=user -e "probe begin { println(\"started\") } probe process(\"$PWD/hostile\").function(\"work\") { println(1) }" -x $target >out 2>err &
pid=$!
wait_for 20 grep -q started out
worker=$(cat /proc/$pid/task/$pid/children)
kill -STOP $worker
for ((i = 0; i < 100; i++)); do
	kill -TERM $pid 2>/dev/null || break
	sleep 0.05
done
[ $i -lt 100 ] || { kill -9 $worker; fail "it goes on"; }
[ $i -ge 5 ] || fail "after $i signals"
wait $pid
status=$?
[ $status = 137 ] || fail "status $status"
kill -0 $target || fail "the target has ended"
