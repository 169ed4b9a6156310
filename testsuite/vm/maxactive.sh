# SPDX-License-Identifier: GPL-2.0-or-later
# .maxactive(N): so many calls at a time have their return probed by a kretprobe. 20 processes sleep together.
. "$SUITE/lib.sh"
events=/sys/kernel/tracing/kprobe_events
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
# A signal ends their sleep when all of them are asleep. Others' processes may sleep as well.
cp "$(command -v sleep)" sleeper
cat >sleepers <<'END'
for i in {1..20}; do ./sleeper 1000 & done
for pid in $(jobs -p); do until grep -q nanosleep /proc/$pid/wchan; do :; done; done
kill $(jobs -p)
wait
END
count() # N: how many of 20 returns are seen
{
	expect 0 timeout 300 "$SPILE" -v -c "bash sleepers" -e "global n
	probe kprobe.function(\"hrtimer_nanosleep\").return.maxactive($1) { if (execname() == \"sleeper\") n++ }
	probe end { println(n) }"
	says '^probe kprobe\.function\("hrtimer_nanosleep"\)\.return\.maxactive\('"$1"'\): kretprobe'
	[ ! -s $events ] || fail "events are left: $(cat $events)"
}
count 40
is 20
count 3 # others that sleep may have some of these
prints '^[1-3]$'

# What is left of one that was killed is taken away by the next.
"$SPILE" -e 'probe kprobe.function("vfs_read").return.maxactive(7) { n++ } global n' >/dev/null 2>&1 & killed=$!
wait_for 100 grep -q "^r7:spile_$killed/active_1 " $events
kill -KILL $killed
wait $killed
expect 0 timeout 300 "$SPILE" -c 'cat /proc/uptime' -e 'probe kprobe.function("vfs_read").return.maxactive(8) { if (pid() == target()) n++ } global n probe end { println(n > 0) }'
prints '^1$'
[ ! -s $events ] || fail "events are left: $(cat $events)"

# fexit has no such number.
expect 0 timeout 300 "$SPILE" -v -c 'cat /proc/uptime' -e 'probe kernel.function("vfs_read").return.maxactive(1) { if (pid() == target()) n++ } global n probe end { println(n > 0) }'
says '^probe kernel\.function\("vfs_read@.*\.return\.maxactive\(1\): fexit: BTF knows vfs_read, and so many calls as there are$'
