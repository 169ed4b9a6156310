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

# Of many only a few are told, unless all are asked for.
told() # OPTION POINT: how many are told one by one
{
	expect 0 bash -c 'ulimit -Sn 30 && exec "$@"' - "$SPILE" --engine=kernel "$1" -T 1 -e "global n
probe $2 { n++ }"
	n=$(grep -cE '^probe (kernel|process).*: (uprobe|raw tracepoint)' err)
}
told -vv "$p.function(\"*\").call"
all=$n
[ "$all" -ge 5 ] || fail "$all points"
told -v "$p.function(\"*\").call"
[ "$n" = 3 ] || fail "$n of $all points are told"
says "^and $((all - 3)) more of the probe at <input>:2:1: uprobe$multi"

# Those that take a file each are more than a process is given at first.
told -vv 'kernel.trace("sched:*"), kernel.trace("signal:*"), kernel.trace("task:*"), kernel.trace("timer:*")'
[ "$n" -ge 30 ] || fail "$n tracepoints"
# Nor are the programs of handlers that differ, which are loaded before.
expect 0 "$SPILE" -p4 -o many.spo -e 'global n
probe kernel.trace("sched:*"), kernel.trace("signal:*") { n[pn()]++ }'
expect 0 bash -c 'ulimit -Sn 30 && exec "$@"' - "$SPILE_RUN" -T 1 many.spo
