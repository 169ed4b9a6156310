# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers in the kernel and a reader that stands still: the signal is seen at once, and what had no room is counted.
. "$SUITE/lib.sh"
cp "$PROGS/busy" . # a uprobe is in each process that runs the file
slow_reader ./busy
"$SPILE" --engine=kernel -x $target -v -e "probe process(\"./busy\").function(\"tick\") { for (i = 0; i < 10; i++) printf(\"%1000d\\n\", pid()) } probe begin { println(\"begun\") }" >pipe 2>err &
spile=$!
wait_for 60 grep -q '^probe process' err # a signal while it is loaded would end it otherwise
ticks() { od -An -t u8 -N 8 ticks | tr -d ' '; }
have_come() { [ "$(ticks)" -gt "$1" ]; }
wait_for 60 have_come $(($(ticks) + 20000)) # of 10 kB each
stop_unread
# Who takes what comes out of the ring buffer drops what has no room; where it is too slow, the ring buffer is full.
says '^WARNING: [0-9]+ (events|pieces) of process\(.*\)\.function\(.*\) were lost \((the ring buffer was full: -s MB makes it larger|the output was not read)\)$'
# A signal that comes before there are events, when nothing is attached any more, is the end, too.
"$SPILE" -g --suppress-time-limits -e 'global n, m probe begin { warn("begun") for (i = 0; i < 60000000; i++) n += i }
probe kernel.trace("sched:sched_switch") { m++ } probe end { println("bye") }' >pipe 2>err &
spile=$!
wait_for 60 grep -q begun err
stop_unread
