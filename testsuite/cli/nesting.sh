# SPDX-License-Identifier: GPL-2.0-or-later
# Recursion has the depth of -DMAXNESTING: how much that can be, and what it takes.
. "$SUITE/lib.sh"
expect 2 "$SPILE" -DMAXNESTING=20001 -e 'probe begin { exit() }'
says '^ERROR: -D MAXNESTING=20001: MAXNESTING takes a number from 1 to 20000$'
text='function text:string(n) { if (n > 0) { s = text(n - 1); return s . "x" } return "" }'
expect 0 "$SPILE" -DMAXNESTING=20000 -DMAXACTION=200000 -e "$text probe begin { println(strlen(text(500))) exit() }"
is 500
expect 1 "$SPILE" -DMAXNESTING=20000 -DMAXSTRINGLEN=4096 -e "$text probe begin { println(strlen(text(500))) exit() }"
says '^ERROR: begin: its recursive functions take [0-9]+ bytes for each of 20000 nested calls; 67108864 can be had for all: lower -DMAXNESTING or -DMAXSTRINGLEN$'
# The part of a handler that runs outside of the kernel is named by its probe.
expect 1 "$SPILE" --engine=kernel -p4 -DMAXNESTING=20000 -DMAXSTRINGLEN=4096 -e "$text probe process(\"$PROGS/ticks\").function(\"tick\") { println(text(9)) }"
says '^ERROR: process\(".*/ticks"\)\.function\("tick@.*"\): its recursive functions take [0-9]+ bytes for each of 20000 nested calls; '
