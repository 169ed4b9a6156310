# SPDX-License-Identifier: GPL-2.0-or-later
# What a handler has begun to print when another one calls exit() is printed whole; what it had not begun to, not at all. One handler
# takes its time, and another one calls exit() meanwhile.
. "$SUITE/lib.sh"
[ "$(nproc)" -gt 1 ] || skip "two handlers at once need two processors"

# prints TEXT BEFORE BEHIND: what the slow handler does before and behind the exit() prints TEXT. When the processors are busy with
# other things the exit() may come too late, and it is done again.
prints()
{
	for i in 1 2 3 4 5 6 7 8; do
		expect 0 timeout 60 "$SPILE" -w -D MAXACTION=8200000 -e "global slow, waits, rounds
			function take_time() { for (i = 0; i < 8; i++) for (k = 0; k < 1000000; k++) rounds <<< 1 }
			function say(what) { println(what) }
			probe process(\"$PROGS/threads\").function(\"step\") { if (\$number == 500) slow = tid() }
			probe process(\"$PROGS/threads\").function(\"step\") { if (waits) { println(\"exit\"); exit() } }
			probe process(\"$PROGS/threads\").function(\"step\") {
				if (\$number == 1000 && tid() == slow) { $2; waits = 1; take_time(); $3; println(\"last\") }
			}
			probe end { if (!@count(rounds)) println(\"none\") }" -c "$PROGS/threads 20000"
		sed '/^exit$/,$d' out | grep -q '^last$' || break
	done
	[ "$(grep -v '^exit$' out | tr '\n' ' ')" = "$1" ] || fail "$2; $3: printed $(cat out)"
}

prints 'begun told last ' 'println("begun")' 'println("told")'
prints '' '' 'println("late")'
prints '' '' 'for (n = 0; n < 3; n++) say("late")'
prints 'begun 0 1 2 last ' 'say("begun")' 'for (n = 0; n < 3; n++) say(sprint(n))'
