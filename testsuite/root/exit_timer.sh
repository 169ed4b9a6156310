# SPDX-License-Identifier: GPL-2.0-or-later
# A timer's handler ends the script because of what one in the kernel did, for which it waits within one turn: what that one
# has printed before arrives behind the exit(), and is printed.
. "$SUITE/lib.sh"
expect 0 "$SPILE" --engine=kernel -DMAXACTION=2000000000 -T 60 -c "sh -c 'sleep 1; exec $PROGS/calls 1'" -e "global n
probe process(\"$PROGS/calls\").function(\"add\") { println(\"seen\") n++ }
probe timer.ms(1) { while (!n) ; exit() }"
quiet
is seen
