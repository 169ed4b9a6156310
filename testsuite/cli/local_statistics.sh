# SPDX-License-Identifier: GPL-2.0-or-later
# Statistics in a local variable are gone when the handler leaves by next, too: what threads that have ended leave would fill the array.
. "$SUITE/lib.sh"
cp "$PROGS/calls" calls
expect 0 "$SPILE" --engine=user -w -DMAXMAPENTRIES=2 -c "./calls 5 threads >calls.out" -e '
	global n
	probe process(@1).function("add") { x <<< $a; n += @count(x); if (n) next; println("no") }
	probe end { println(n) }' "$PWD/calls"
quiet
is 5
