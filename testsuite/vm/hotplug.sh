# SPDX-License-Identifier: GPL-2.0-or-later
# A processor that goes off and comes online again, as all but one do when the machine is suspended, is sampled, counted on and watched again.
. "$SUITE/lib.sh"
switch=/sys/devices/system/cpu/cpu1/online
[ -w $switch ] || skip "there is no processor to switch off"
trap 'echo 1 >$switch' EXIT
# Nobody tells when spile has heard of the processor: the program runs until it was seen.
run="taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=10000 2>/dev/null"
use="sh -c 'echo 0 >$switch; echo 1 >$switch; while :; do $run; sleep 0.1; done'"
expect 0 timeout 120 "$SPILE" -c "$use" -e '
global samples, clock
probe timer.profile { if (cpu() == 1 && execname() == "dd") samples <<< 1 }
probe perf.sw.cpu_clock.sample(1000000) { if (cpu() == 1 && execname() == "dd") clock <<< 1 }
probe timer.ms(100) { if (@count(samples) && @count(clock)) exit() }
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

expect 0 timeout 120 "$SPILE" -g --engine=kernel -c "sh -c 'echo 0 >$switch; echo 1 >$switch; sleep 1; taskset -c 1 $PROGS/chain'" -e "
probe process(\"$PROGS/chain\").function(\"middle\") { println(usymname(uaddr())) }"
[ "$(sort -u out)" = middle ] || fail "names in a target: $(sort -u out)"

# What was opened before is closed when it is opened anew.
cat >again.sh <<S
for i in 1 2 3 4; do
	echo 0 >$switch; echo 1 >$switch; sleep 1
	[ \$i != 1 ] || ls /proc/\$1/fd | wc -l >first
done
ls /proc/\$1/fd | wc -l >last
kill -INT \$1
S
expect 0 timeout 120 "$SPILE" -g --engine=kernel -e "
global n
probe begin { system(sprintf(\"sh again.sh %d &\", pid())) }
probe perf.sw.task_clock.counter(\"ns\") {}
probe timer.profile { n++ }
probe process(\"$PROGS/chain\").function(\"middle\") { println(usymname(uaddr()), @perf(\"ns\")) }"
# Six more, if any stayed open; one or two come and go.
[ "$(cat last)" -lt $(($(cat first) + 4)) ] || fail "descriptors: $(cat first), later $(cat last)"

# So it is when what the kernel told of it was lost: nobody read it, and there was no room.
cat >lost.sh <<S
kill -STOP \$1
i=0; while [ \$((i += 1)) -le 2000 ]; do echo change >/sys/class/mem/null/uevent; done
echo 0 >$switch; echo 1 >$switch
kill -CONT \$1
while kill -0 \$1 2>/dev/null; do $run; sleep 0.1; done
S
expect 0 timeout 120 "$SPILE" --engine=kernel -e '
global samples
probe begin { system(sprintf("sh lost.sh %d &", pid())) }
probe timer.profile { if (cpu() == 1 && execname() == "dd") samples <<< 1 }
probe timer.ms(100) { if (@count(samples)) exit() }
probe end { println(@count(samples) > 0) }'
is 1
quiet

# A new event counts from 0 on, beside which what the old one had counted is nothing: here for what runs when it is opened.
cat >count.sh <<S
taskset -c 1 dd if=/dev/zero of=/dev/null bs=16M count=1 2>/dev/null
kill -STOP \$1
echo 0 >$switch; echo 1 >$switch
taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=1000000 2>/dev/null &
kill -CONT \$1; wait; kill -INT \$1
S
expect 0 timeout 120 "$SPILE" --engine=kernel -e '
global seen
probe begin { system(sprintf("sh count.sh %d &", pid())) }
probe perf.sw.task_clock.counter("ns") {}
probe kernel.trace("sched:sched_switch") { seen <<< @perf("ns") }
probe end { println(@min(seen) >= 0, @max(seen) > 0) }'
is 11

# A thread that reads its count where the processor has no event yet: spile has not heard of it.
cat >late.sh <<S
until [ -s seen ]; do taskset -c 0 $PROGS/chain; done
kill -STOP \$1
echo 1 >$switch
taskset -c 1 $PROGS/chain
kill -CONT \$1; sleep 1; kill -INT \$1
S
echo 0 >$switch
expect 0 timeout 120 "$SPILE" -g --engine=kernel -o seen -e "
probe begin { system(sprintf(\"sh late.sh %d &\", pid())) }
probe perf.sw.task_clock.counter(\"ns\") {}
probe process(\"$PROGS/chain\").function(\"middle\") { printf(\"%d %d\\n\", cpu(), @perf(\"ns\") >= 0) }"
[ "$(sort -u seen)" = "0 1
1 1" ] || fail "$(sort -u seen)"
quiet
