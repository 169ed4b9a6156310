# SPDX-License-Identifier: GPL-2.0-or-later
# Many functions of a program: in one link (uprobe.multi) where the kernel has it, else one link each; the same counts.
. "$SUITE/lib.sh"
"$SPILE_RUN" --describe >target || fail "no description"
grep -q '^features .*\<uprobe-multi\>' target && multi=.multi || multi=
p="process(\"$PROGS/calls\")"
count() # POINTS: how often `calls 3` was in each function
{
	expect 0 "$SPILE" --engine=kernel -v -c "$PROGS/calls 3" -e "global n
probe $1 { n[ppfunc()]++ } probe end { foreach (f+ in n) println(f, \" \", n[f]) }"
}
by() # HOOK REGEX: all points that match are attached by that hook
{
	[ "$(grep -cE "^probe process\(.*\"$2@.*: u" err)" -ge 2 ] || fail "fewer than two points by $1"
	! grep -E "^probe process\(.*\"$2@.*: u" err | grep -v ": ${1//./\\.}[:,]" || fail "by another hook than $1"
}
count "$p.function(\"[aelt]*\").call"
prints '^add 3$'
prints '^look 3$'
prints '^text 3$'
by "uprobe$multi" '[a-z_]*'
count "$p.function(\"add\").return, $p.function(\"look\").return"
is 'add 3
look 3'
by "uretprobe$multi" '(add|look)'
