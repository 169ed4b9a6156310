# SPDX-License-Identifier: GPL-2.0-or-later
# Calls from one function: directly, through others, through what is inlined; entries and returns.
. "$SUITE/lib.sh"
p="process(\"$PROGS/chain\")"
traced() { expect 0 timeout 60 "$SPILE" --engine="${ENGINE:-user}" -c "$PROGS/chain" -e "$1"; quiet; }
traced "probe $p.function(\"first\").callee(\"middle\") { println(ppfunc(), \" \", \$x) }"
is 'middle 0
middle 10
middle 1
middle 11'
traced "probe $p.function(\"first\").callee(\"inlined\") { println(\$x) }
probe $p.function(\"inlined\").callee(\"last\") { println(\"last \", \$x) }"
is '0
last 50
1
last 51'
traced "probe $p.function(\"first\").callees.return { println(ppfunc(), \" \", \$return) }"
is 'middle 4
middle 34
middle 7
middle 37'
traced "probe $p.function(\"first\").callees(2).call { println(ppfunc(), \" \", \$x) }"
is 'middle 0
last 1
middle 10
last 11
last 50
middle 1
last 2
middle 11
last 12
last 51'
# What another function calls, and what is called by a jump or through a pointer, is not first's or through's.
traced "global n probe $p.function(\"jumps\").callees ?, $p.function(\"through\").callees ?, $p.function(\"other\").callees(3) { n[ppfunc()]++ }
probe end { foreach (f+ in n) println(f, \" \", n[f]) }"
is 'last 4
middle 2'
expect 0 "$SPILE" -l "$p.function(\"main\").callees(3).call"
[ "$(grep -c 'callee("last@' out)" = 3 ] || fail "not three functions that call last()"
# Compiled differently, the frames and the debug information of calls are different. Compilers are slow in guests.
[ "${ENGINE:-user}" = user ] || return 0
for how in "gcc -O1" "gcc -O2 -gdwarf-4" "gcc -O3 -fno-omit-frame-pointer"; do
	$how -std=gnu11 -g -w -o chain "$SUITE/progs/chain.c" || fail "$how"
	expect 0 timeout 60 "$SPILE" --engine=user -c ./chain -e "probe process(\"./chain\").function(\"first\").callees(2).call,
		process(\"./chain\").function(\"other\").callees(2).call { if (ppfunc() == \"last\") println(\$x) }"
	quiet
	[ "$(sort -n out | tr '\n' ' ')" = "1 2 11 12 50 51 101 102 200 201 " ] || fail "$how"
done
# Without optimisation there is nothing that tells of calls.
gcc -O0 -std=gnu11 -g -w -o chain "$SUITE/progs/chain.c" || fail "gcc -O0"
expect 1 "$SPILE" -l 'process("./chain").function("first").callee("middle")'
