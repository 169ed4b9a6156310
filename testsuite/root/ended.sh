# SPDX-License-Identifier: GPL-2.0-or-later
# The name of a place in a program that has ended, where a probe end has it as a value and prints no other.
. "$SUITE/lib.sh"
expect 0 timeout 60 "$SPILE" -c "$PROGS/calls" -e "global address
	probe process(\"$PROGS/calls\").function(\"main\") { address = uaddr() }
	probe end { name = usymname(address) println(name) }"
quiet
is main
