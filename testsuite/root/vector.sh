# SPDX-License-Identifier: GPL-2.0-or-later
# An instruction of AVX that the kernel would take for a jump, a return or a call is not probed: its program would go wrong.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "only on x86_64"
program=$PROGS/vector
"$program" >native || skip "this processor has no AVX2"
[ "$(cat native)" = '0 0 0 0 wrong' ] || fail "it goes wrong by itself"
script() { echo "global n probe process(\"$program\").function(\"$1\")$2 { n++ } probe end { println(n) }"; }

for name in shuffles ors compares; do
	for return in '' .return; do
		expect 3 "$SPILE" --engine=kernel -c "$program" -e "$(script $name $return)"
		says "^ERROR: cannot attach probe .*\"$name\"\\)${return/./\\.} \\(u(ret)?probe\\): the kernel takes the vector instruction at offset 0x[0-9a-f]+ of .*/vector for another one, and would do that in its place; probe another instruction, or use --engine=user\$"
	done
	expect 0 "$SPILE" --engine=user -c "$program" -e "$(script $name)"
	quiet
	is '0 0 0 0 wrong
100'
done
# Of several places the others are probed.
expect 0 "$SPILE" --engine=kernel -c "$program" -e "probe process(\"$program\").function(\"ors\"), process(\"$program\").function(\"main\") { n[ppfunc()]++ }
	global n probe end { foreach (f in n) println(f, \" \", n[f]) }"
is '0 0 0 0 wrong
main 1'
says '^WARNING: cannot attach probe .*"ors"\) \(uprobe\): the kernel takes the vector instruction at offset 0x[0-9a-f]+ of .*/vector for another one, '
