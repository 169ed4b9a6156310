# SPDX-License-Identifier: GPL-2.0-or-later
# Large handlers are divided; what cannot be divided is named.
. "$SUITE/lib.sh"
large_script begin 1600 >large.stp
expect 1 "$SPILE" large.stp
prints '^2002 400 1883 2$'
says "ERROR: division by 0 near operator '/' at large.stp:1607:"

awk 'BEGIN {
	print "global a\nprobe begin {\n  x = pid()\n  y = 0"
	for (i = 1; i < 900; i++) print "    + a[x / " i ", " i " / (x - " i ")]"
	print "  a[1, 1] = y\n  println(y)\n}"
}' >wide.stp
expect 1 "$SPILE" -p4 -o /dev/null wide.stp
says '^ERROR: wide.stp:4:3: what begins here is too large \(about [0-9]+ instructions, 15000 can be had\)'
