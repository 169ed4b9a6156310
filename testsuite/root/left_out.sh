# SPDX-License-Identifier: GPL-2.0-or-later
# Two of a hundred functions cannot be probed: they are named, and the others are attached together as if these were not there.
# That is so before the program runs, and while it runs.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the program has no such functions here"
p="process(\"$PROGS/refused\")"
count="global n probe $p.function(\"f[0-9_]*\").call { n[ppfunc()]++ } probe end { foreach (f+ in n) println(f, \" \", n[f]) }"
left_out() # NAME: it is told
{
	says "^WARNING: cannot attach probe process\\(.*/refused\"\\)\\.function\\(\"$1@.*\\(uprobe\\): the kernel does not probe the instruction at offset 0x[0-9a-f]+ of .*/refused\$"
}
expect 0 "$SPILE" --engine=kernel -v -c "$PROGS/refused </dev/null" -e "$count"
is '906 1
f01 3
f99 3'
left_out f_locked
left_out f_halts
[ "$(grep -c '^WARNING' err)" = 2 ] || fail "more warnings"
"$SPILE_RUN" --describe >target
multi=
! grep -q '^features .*\<uprobe-multi\>' target || multi=.multi
says "^probe process\\(.*function\\(\"f0.*: uprobe$multi: "
says "^and 97 more of the probe .*: uprobe$multi: "

mkfifo keep
"$PROGS/refused" <keep >/dev/null &
exec 3>keep
expect 0 "$SPILE" --engine=kernel -v -T 1 -e "$count"
exec 3>&-
wait
left_out f_locked
left_out f_halts
says "^and 97 more of the probe .*: uprobe$multi: "

# No other is left: the script does not run.
expect 3 "$SPILE" --engine=kernel -T 1 -e "probe $p.function(\"f_halts\") { println(1) }"
says '^ERROR: cannot attach probe process\(.*"f_halts@.*\(uprobe\): the kernel does not probe the instruction at offset'
expect 3 "$SPILE" --engine=kernel -T 1 -e "probe $p.function(\"f_halts\").return { println(1) }"
says '^ERROR: cannot attach probe process\(.*"f_halts@.*\(uretprobe\): the kernel does not probe the instruction at offset'

# A system call, which has no link of its own, is another one that is left.
expect 0 "$SPILE" --engine=kernel -c 'cat /dev/null' -e "probe $p.function(\"f_halts\"), kernel.syscall(\"openat\") { println(pp()) exit() }"
is 'kernel.syscall("openat")'
left_out f_halts
