# SPDX-License-Identifier: GPL-2.0-or-later
# A program that moves its code (mremap) takes the breakpoints along: they are met there, and the program goes on as ever.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
prog=$PROGS/moves_code
"$prog" >native || fail "status $?"
first="process(\"$prog\").function(\"first\")" second="process(\"$prog\").function(\"second\")"
# counts OF_FIRST OF_SECOND POINTS
counts()
{
	expect 0 "$SPILE" --engine=$ENGINE -c "$prog" -e "global first, second
		probe $3 { if (ppfunc() == \"first\") first++; else second++ }
		probe end { println(first, \" \", second) }"
	quiet
	is "$(cat native)
$1 $2"
}
counts 9 0 "$first"
counts 9 8 "$first, $second"
counts 18 16 "$first, $second, $first.return, $second.return"
