# SPDX-License-Identifier: GPL-2.0-or-later
# Errors of a running script: place, probe, status 1; try and catch; MAXERRORS.
. "$SUITE/lib.sh"
printf 'global zero\nprobe begin {\n  println(5 / zero)\n  println("not reached")\n}\nprobe end { println("end") }\nprobe error { println("error probe") }\n' >x.stp
expect 1 "$SPILE" x.stp
is 'error probe'
says "^ERROR: division by 0 near operator '/' at x\.stp:3:13 \(probe begin\)$"
expect 0 "$SPILE" -e 'global zero probe begin { try { println(5 % zero) } catch (m) { println("caught " . m) } exit() }'
is 'caught division by 0'
expect 1 "$SPILE" -e 'probe begin { error("my own words") }'
says '^ERROR: my own words$'
expect 1 "$SPILE" -e 'global a[2] probe begin { a[1] = 1 a[2] = 2 a[3] = 3 }'
says "^ERROR: Array overflow, check size limit \(a has 2 elements; -D MAXMAPENTRIES=N gives more\) near identifier 'a' at <input>:1:45 \(probe begin\)$"
expect 1 "$SPILE" -e 'probe begin { while (1) x++ }'
says "^ERROR: MAXACTION exceeded \(-D MAXACTION=N allows more\) near keyword 'while' at <input>:1:15 \(probe begin\)$"
expect 0 "$SPILE" -e 'probe begin { warn("careful") log("logged") exit() }'
is logged
says '^WARNING: careful$'
