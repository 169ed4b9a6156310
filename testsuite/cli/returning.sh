# SPDX-License-Identifier: GPL-2.0-or-later
# A stack at a return: which function returns, and where to.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >returning.stp <<'STP'
function show() { print_ubacktrace() }

probe process(@1).function("leaf").return
{
	show()
	print_ubacktrace_fileline()
	println(__returning_from() != 0, addr() == ustack(0))
}
probe process(@1).function("inner") { println(__returning_from()) }
probe process(@1).function("outer").return, process(@1).function("inner").return { print_ubacktrace() }
STP
cat >expected <<'X'
0
Returning from:  0xADDRESS : leaf+0x0/0xSIZE [@PROGS@/stack]
Returning to  : 0xADDRESS : inner+0xN/0xSIZE [@PROGS@/stack]
 0xADDRESS : outer+0xN/0xSIZE [@PROGS@/stack]
 0xADDRESS : main+0xN/0xSIZE [@PROGS@/stack]
Returning from:  0xADDRESS : leaf+0x0/0xSIZE [@PROGS@/stack] at PLACE
Returning to  : 0xADDRESS : inner+0xN/0xSIZE at PLACE [@PROGS@/stack]
 0xADDRESS : outer+0xN/0xSIZE at PLACE [@PROGS@/stack]
 0xADDRESS : main+0xN/0xSIZE at PLACE [@PROGS@/stack]
11
Returning from:  0xADDRESS : inner+0x0/0xSIZE [@PROGS@/stack]
Returning to  : 0xADDRESS : outer+0xN/0xSIZE [@PROGS@/stack]
 0xADDRESS : main+0xN/0xSIZE [@PROGS@/stack]
Returning from:  0xADDRESS : outer+0x0/0xSIZE [@PROGS@/stack]
Returning to  : 0xADDRESS : main+0xN/0xSIZE [@PROGS@/stack]
X
expect 0 "$SPILE" --engine=$ENGINE -c "$PROGS/stack" returning.stp "$PROGS/stack"
sed -E 's/ at [^ ]+:[0-9]+ / at PLACE /; s/ at [^ ]+:[0-9]+$/ at PLACE/; /_start\+0x|libc|^ ?0x7f[0-9a-f]*$/d; s/0x(5|7f)[0-9a-f]{11}/0xADDRESS/g; s,/0x[0-9a-f]+,/0xSIZE,g; s/\+0x[1-9a-f][0-9a-f]*/+0xN/g' out | sed "s,$PROGS,@PROGS@,g" | diff expected - || fail "other lines"
