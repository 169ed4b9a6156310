# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel tells of processors that come online, and drops that when too much of it waits to be read. Then each is looked at: with those
# that stayed on all goes on, and nothing is said (vm/hotplug has one that was off).
. "$SUITE/lib.sh"
event=/sys/class/net/lo/uevent
[ -w $event ] || skip "no uevent can be made here"
script="probe process(\"$PROGS/calls\").function(\"add\") { println(usymname(uaddr())) }"
flood="kill -STOP \$PPID; for i in \$(seq 3000); do echo change >$event; done; kill -CONT \$PPID; $PROGS/calls 1"
for command in "$flood" "echo change >$event; $PROGS/calls 1"; do
	expect 0 "$SPILE" --engine=kernel -c "$command" -e "$script"
	is add
	quiet
done
