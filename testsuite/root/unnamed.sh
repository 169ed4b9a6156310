# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that start while nobody takes what the kernel tells of them: that something is missing is told.
. "$SUITE/lib.sh"
calls=$PROGS/calls
script="probe process(\"$calls\").function(\"add\") { println(usymname(uaddr())) }"
expect 0 "$SPILE" --engine=kernel -c "kill -STOP \$PPID; for i in \$(seq 1500); do env true; done; kill -CONT \$PPID; $calls 1" -e "$script"
says '^WARNING: programs came too fast \([0-9]+ mappings at least\): their addresses may have no names, or wrong ones$'
expect 0 "$SPILE" --engine=kernel -c "for i in \$(seq 300); do env true; done; $calls 1" -e "$script"
is add
quiet
