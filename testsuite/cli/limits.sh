# SPDX-License-Identifier: GPL-2.0-or-later
# What is too large for the runtime is a diagnostic of the compiler; a folder that is no library of scripts ends the search.
. "$SUITE/lib.sh"
expect 1 "$SPILE" -p4 -o x.spo -e 'global a[2000000000] probe begin { a[1] = 1 }'
says '^parse error: an array has room for 1 to 268435456 elements \[E1[0-9]+\]$'
expect 0 "$SPILE" -p4 -o x.spo -e 'global a[268435456] probe begin { a[1] = 1 exit() } probe timer.s(1) { println(a[1]) }'
expect 2 "$SPILE" -p4 -D MAXMAPENTRIES=2000000000 -e 'global a probe begin { a[1] = 1 }'
says 'MAXMAPENTRIES takes a number from 1 to 268435456$'
expect 2 "$SPILE" -p4 -D SPILE_RING_SIZE=1073741824 -e 'probe begin { exit() }'
says 'SPILE_RING_SIZE takes a number from 4096 to 268435456$'
expect 2 "$SPILE" -p4 -s 4096 -e 'probe begin { exit() }'
says "^spile: -s takes a number of megabytes from 1 to 4095, not '4096'\$"
expect 0 "$SPILE" -p4 -s 256 -o x.spo -e 'probe begin { exit() }'
expect 1 "$SPILE" -p4 -e 'probe begin { printf("%2000000000d", 1) }'
says '^semantic error: .%2000000000d. asks for more than 8192 characters \[E306\]$'
for folder in / /proc; do
	expect 2 timeout 20 "$SPILE" -I $folder -e 'probe begin { exit() }'
	says "^ERROR: -I $folder is no folder of scripts: there are more than 20000 files and folders in it\$"
done

probes() { awk -v n="$1" 'BEGIN { print "global n"; for (i = 0; i < n; i++) print "probe begin { n += " i " }" }'; }
{ probes 10000; echo 'probe begin(1) { println(n) exit() }'; } >many.stp
expect 0 "$SPILE" -w many.stp
is 49995000
probes 32001 >too_many.stp
expect 1 "$SPILE" -w too_many.stp
says '^semantic error: there are 32001 handlers; there may be 32000 \[E638\]$'
says '^    at too_many\.stp:32002:1$'
# A recursive function whose call is never reached.
expect 0 "$SPILE" -w -u -p4 -o never.spo -e 'function f:string(n) { if (31) return s; return f(n - 1) } probe timer.profile { log(f(0)) }'
exit 0
