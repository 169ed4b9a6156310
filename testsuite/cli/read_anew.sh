# SPDX-License-Identifier: GPL-2.0-or-later
# A program that has its code read anew (madvise) loses breakpoints, which is told, and does what it does without.
. "$SUITE/lib.sh"
prog=$PROGS/reads_anew
expect 0 "$SPILE" --engine=user -c "$prog" -e "global n
	probe process(\"$prog\").function(\"twice\") { n++ }
	probe end { println(n) }"
is $'6\n1'
says '^WARNING: 1 breakpoint had been taken out by another tracer or the program: events there were lost$'
