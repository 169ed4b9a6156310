# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel does not see returns of calls nested deeper than 64: they are counted and told, whatever hook it is, of the target alone;
# and -v tells of functions that call themselves. The user engine sees all.
. "$SUITE/lib.sh"
own_programs nested
nested="process(\"$PROGS/nested\")"
lost() { sed -nE 's/^WARNING: ([0-9]+) events? of .* (was|were) lost \(the kernel sees returns of 64 nested calls of a thread: --engine=user sees all\)$/\1/p' err; }
# returns EXPECTED LOST OPTIONS...: of flat() there are two returns; both are of one probe.
returns()
{
	expected="$1 $2" && shift 2
	expect 0 timeout 60 "$SPILE" "$@"
	[ "$(cat out) $(lost)" = "$expected" ] || { cat out err; fail "expected $expected: $*"; }
}
one="global n probe $nested.function(\"down\").return { n++ } probe end { println(n) }"
two="global n probe $nested.function(\"down\").return, $nested.function(\"flat\").return { n++ } probe end { println(n) }"
returns 64 "" --engine=kernel -c "$PROGS/nested 64" -e "$one"
returns 64 1 --engine=kernel -c "$PROGS/nested 65" -e "$one"
returns 64 936 --engine=kernel -c "$PROGS/nested 1000" -e "$one"
returns 66 936 --engine=kernel -v -c "$PROGS/nested 1000" -e "$two"
says '^probe process\(.*\)\.function\("down@.*"\)\.return: uretprobe(\.multi)?: a function of a program that calls itself: the kernel sees returns of 64 nested calls$'
says '^probe process\(.*\)\.function\("flat@.*"\)\.return: uretprobe(\.multi)?: a function of a program$'
returns 1002 "" --engine=user -c "$PROGS/nested 1000" -e "$two"
# What others call is not counted; without a target all are.
once="global started probe timer.ms(10) { if (!started++) system(\"'$PROGS/nested' 500; '$PROGS/nested' 80; touch others\") }"
returns 64 6 --engine=kernel -c "sh -c 'until [ -e others ]; do sleep 0.05; done; $PROGS/nested 70'" -e "$one $once"
returns 128 452 --engine=kernel -e "$one $once global calls probe $nested.function(\"flat\").return { if (++calls == 4) exit() }"
