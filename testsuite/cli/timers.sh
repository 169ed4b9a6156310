# SPDX-License-Identifier: GPL-2.0-or-later
# Every kind of timer fires about as often as it should: never more often, and on a busy machine not much less. -T ends the run.
. "$SUITE/lib.sh"
begun=$(date +%s%N)
expect 0 "$SPILE" -T 2 -e 'global s, ms, us, ns, hz, jiffies
probe timer.s(1) { s++ }
probe timer.ms(100) { ms++ }
probe timer.us(5000) { us++ }
probe timer.ns(5000000) { ns++ }
probe timer.hz(50) { hz++ }
probe timer.jiffies(2) { jiffies++ }
probe end { printf("s %d\nms %d\nus %d\nns %d\nhz %d\njiffies %d\n", s, ms, us, ns, hz, jiffies) }'
took=$((($(date +%s%N) - begun) / 1000000))
[ $took -ge 2000 ] && [ $took -le 8000 ] || fail "-T 2 took $took ms"
# fired NAME LEAST MOST
fired()
{
	local n
	n=$(sed -n "s/^$1 //p" out)
	[ "$n" -ge "$2" ] && [ "$n" -le "$3" ] || fail "timer.$1 fired $n times in two seconds, not $2 to $3 times"
}
fired s 1 2
fired ms 8 21
fired us 100 410
fired ns 100 410
fired hz 40 102
fired jiffies 20 2010 # HZ is 100 to 1000

# The longest period with the largest deviation from it does not wrap around to none: one of twenty timers in 292 years fires no sooner.
longest='timer.s(9223372036).randomize(9223372036)'
expect 0 "$SPILE" -T 0.2 -e "probe $(printf "$longest, %.0s" $(seq 19))$longest { println(pp()) }"
is ''
