# SPDX-License-Identifier: GPL-2.0-or-later
# A reader of the output that stands still keeps neither the target nor a signal waiting; what had no room is counted.
. "$SUITE/lib.sh"
count() { od -An -t u8 -N 8 ticks | tr -d ' '; }
counts_on() { [ "$(count)" -gt "$1" ]; }
slow_reader "$PROGS/busy"
line=$(printf '%1000s' x)
"$SPILE" --engine=user -x $target -e "probe process(\"$PROGS/busy\").function(\"tick\") { for (i = 0; i < 40; i++) println(\"$line\") }" >pipe 2>err &
spile=$!
traced() { ! grep -q '^TracerPid:[[:space:]]*0$' /proc/$target/status; }
wait_for 60 traced
for _ in 1 2 3 4 5; do
	sleep 0.3
	wait_for 20 counts_on "$(count)"
done
stop_unread
wait_for 20 counts_on "$(count)"
says '^WARNING: [0-9]+ pieces of process\(.*\)\.function\(.*\) were lost \(the output was not read\)$'
# Before and behind the events, output is waited for; a signal ends that, too.
"$SPILE" -v -e 'probe begin { for (i = 0; i < 400000; i++) println("0123456789012345678901234567890123456789012345678901234567890123456789") }' \
	-DMAXACTION=100000000 >pipe 2>err &
spile=$!
wait_for 60 grep -q '^Pass 5: starting run' err
sleep 1
kill -TERM $spile
wait_for 30 ended $spile
"$SPILE" -e 'probe begin { for (i = 0; i < 400000; i++) printf("%d\n", i) exit() }' -DMAXACTION=100000000 | (sleep 1; tail -n 1) >out
is 399999
