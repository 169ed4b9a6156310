# SPDX-License-Identifier: GPL-2.0-or-later
# A processor that goes off and comes online again, as all but one do when the machine is suspended, is sampled, counted on and watched again.
. "$SUITE/lib.sh"
switch=/sys/devices/system/cpu/cpu1/online
[ -w $switch ] || skip "there is no processor to switch off"
trap 'echo 1 >$switch' EXIT
# The count of a thread is complete when another one has run.
use="sh -c 'echo 0 >$switch; echo 1 >$switch; sleep 1; taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null'"
expect 0 timeout 120 "$SPILE" -c "$use" -e '
global samples, clock
probe timer.profile { if (cpu() == 1 && execname() == "dd") samples <<< 1 }
probe perf.sw.cpu_clock.sample(1000000) { if (cpu() == 1 && execname() == "dd") clock <<< 1 }
probe end { println(@count(samples) > 0, @count(clock) > 0) }'
is 11

# What a program maps there is told, too: when its addresses get their names, it has gone.
cat >use.sh <<S
echo 0 >$switch; echo 1 >$switch; sleep 1
kill -STOP \$1; taskset -c 1 $PROGS/chain; kill -CONT \$1; sleep 1; kill -INT \$1
S
expect 0 timeout 120 "$SPILE" -g --engine=kernel -e "
probe begin { system(sprintf(\"sh use.sh %d &\", pid())) }
probe process(\"$PROGS/chain\").function(\"middle\") { println(usymname(uaddr())) }"
[ "$(sort -u out)" = middle ] || fail "names: $(sort -u out)"
