# SPDX-License-Identifier: GPL-2.0-or-later
# Ctrl-C and SIGTERM run the end handlers and end with status 0.
. "$SUITE/lib.sh"
for signal in INT TERM HUP; do
	rm -f out # the one of the signal before says "started", too
	"$SPILE" -e 'probe begin { println("started") } probe end { println("end") }' >out 2>err &
	pid=$!
	wait_for 20 grep -q started out
	kill -$signal $pid
	wait $pid
	status=$?
	[ $status = 0 ] || fail "SIG$signal: status $status"
	is 'started
end'
done
