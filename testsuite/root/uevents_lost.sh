# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel tells of processors that come online, and drops that when too much of it waits to be read: this is said.
. "$SUITE/lib.sh"
event=/sys/class/net/lo/uevent
[ -w $event ] || skip "no uevent can be made here"
script="probe process(\"$PROGS/calls\").function(\"add\") { println(usymname(uaddr())) }"
flood="kill -STOP \$PPID; for i in \$(seq 3000); do echo change >$event; done; kill -CONT \$PPID; $PROGS/calls 1"
expect 0 "$SPILE" --engine=kernel -c "$flood" -e "$script"
is add
says "^WARNING: the kernel's uevents were lost: processors that came online are not seen$"
expect 0 "$SPILE" --engine=kernel -c "echo change >$event; $PROGS/calls 1" -e "$script"
is add
quiet
