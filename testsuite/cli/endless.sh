# SPDX-License-Identifier: GPL-2.0-or-later
# Without time limits a handler of begin or of a timer may have no end: a signal cuts it, and the end handlers run.
. "$SUITE/lib.sh"
for probe in begin 'timer.ms(1)'; do
	for signal in INT TERM; do
		"$SPILE" -g --suppress-time-limits -e "global n
probe $probe { warn(\"on\") while (1) n++ println(\"off\") } probe end { println(n > 0) }" >out 2>err &
		spile=$!
		trap 'kill -KILL $spile' EXIT
		wait_for 60 grep -q on err
		sleep 0.2
		kill -$signal $spile
		wait_for 20 ended $spile
		trap - EXIT
		is 1
		[ "$(sort -u err)" = 'WARNING: on' ] || fail "it says: $(cat err)"
	done
done
