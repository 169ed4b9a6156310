# SPDX-License-Identifier: GPL-2.0-or-later
# -F: the script runs on without a terminal, and spile ends with the number of its process; what fails before is told as without it.
. "$SUITE/lib.sh"
trap '[ -z "$pid" ] || kill $pid 2>/dev/null' EXIT
ended() { ! kill -0 $pid 2>/dev/null; }
for way in '' '-S 1,2'; do
	expect 0 timeout 60 "$SPILE" --engine=user -F $way -o output -e 'global n
		probe begin { println("begin") } probe timer.ms(10) { n++ } probe end { println(n > 0) warn("said") }'
	pid=$(cat out)
	[ -z "$(cat err)" ] || fail "$(cat err)"
	kill -0 $pid || fail "it does not run: $(cat output*)"
	[ "$(readlink /proc/$pid/fd/0 /proc/$pid/fd/1 | paste -sd' ')" = '/dev/null /dev/null' ] || fail "it has $(ls -l /proc/$pid/fd)"
	[ "$(awk '{ print $6 }' /proc/$pid/stat)" = $pid ] || fail "it is in this session"
	sleep 0.1
	kill $pid
	wait_for 20 ended
done
is_in() { [ "$(cat "$1")" = "$2" ] || fail "$1: $(cat "$1")"; }
is_in output 'begin
1
WARNING: said'
is_in output.0 'begin
1'
is_in output.messages 'WARNING: said'

mkdir full full.messages
expect 1 timeout 60 "$SPILE" -F -S 1,2 -o full -e 'probe begin { println(1) }'
says '^ERROR: '
expect 1 timeout 60 "$SPILE" -F -o output -e 'probe beginx { }'
says "^semantic error: there is no probe point 'beginx' "
cp "$PROGS/ticks" gone
./gone & gone=$!
kill $gone
wait $gone 2>/dev/null
expect 1 timeout 60 "$SPILE" --engine=user -F -o output -x $gone -e 'probe begin { println(1) }'
says '^ERROR: '
[ -z "$(cat out)" ] || fail "it printed $(cat out)"
for others in '' '-o x -c true' '-o x -p4' '-o x --monitor'; do
	expect 2 "$SPILE" -F $others -e 'probe begin { }'
done
says '^spile: -F runs a script in the background, and excludes --monitor$'
