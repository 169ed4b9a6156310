# SPDX-License-Identifier: GPL-2.0-or-later
# -T and the timers: about as often as they should.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -T 1 -e 'global n, m probe timer.ms(100) { n++ } probe timer.s(1) { m++ } probe end { printf("%d %d\n", n, m) }'
read -r n m <out
[ "$n" -ge 4 ] && [ "$n" -le 11 ] || fail "timer.ms(100) fired $n times in a second"
expect 0 "$SPILE" -e 'global n probe timer.hz(50) { if (++n == 10) exit() } probe end { println(n) }'
is 10
expect 0 "$SPILE" -e 'global n probe timer.us(5000), timer.ns(5000000), timer.jiffies(2) { if (++n >= 12) exit() } probe end { println(n >= 12) }'
is 1
