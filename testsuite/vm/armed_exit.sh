# SPDX-License-Identifier: GPL-2.0-or-later
# A .return probe with a condition and @entry(): a call that is entered while the condition does not hold, behind one that returned then,
# has its own value.
. "$SUITE/lib.sh"
command -v perl >/dev/null || skip "no perl"
expect 0 timeout 300 "$SPILE" -v -c "perl -e 'sleep 1; sleep 3'" -e '
global on = 1, t
probe kernel.function("hrtimer_nanosleep").return if (on) {
	if (execname() == "perl") println("slept ", (gettimeofday_ms() - @entry(gettimeofday_ms())) / 1000)
}
probe timer.ms(500) { t++; if (t == 1) on = 0; if (t == 5) on = 1 }'
grep -q '^probe kernel\.function.*: fexit' err || skip "this kernel has no fexit"
is 'slept 3'
exit 0
