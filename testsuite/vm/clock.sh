# SPDX-License-Identifier: GPL-2.0-or-later
# The clock of the machine is set while a script runs: handlers in the kernel and in the runtime give the new time.
. "$SUITE/lib.sh"
[ "$(hostname)" = guest ] && grep -q no_timer_check /proc/cmdline || skip "others need this machine's clock"
cat >set.sh <<S
$PROGS/chain
date -s "@\$((\$(date +%s) + 500))"
sleep 1
$PROGS/chain
S
for engine in kernel user; do
	expect 0 timeout 120 "$SPILE" --engine=$engine -c "sh set.sh" -e "
global first, last
probe process(\"$PROGS/chain\").function(\"middle\") { last = gettimeofday_s(); if (!first) first = last }
probe end { now = gettimeofday_s(); println(last - first >= 500, last - first < 600, now - last < 60) }"
	prints '^111$'
	says '^WARNING: the clock was set or stood: times of day jumped$'
done
