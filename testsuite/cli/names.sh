# SPDX-License-Identifier: GPL-2.0-or-later
# -l and -L of a name, or of a pattern of names, search what there is of every kind.
. "$SUITE/lib.sh"
mkdir tapset
cat >tapset/box.stp <<'END'
probe box.open = begin { name = "b" }
probe box.reopened = begin {}
probe _box.open = begin {}
END
# A kind is a heading with its number, and the points.
expect 0 "$SPILE" -I tapset -l open
grep -qx '# aliases: [0-9]*' out || fail "no heading"
grep -qx 'box.open' out || fail "no alias whose member is open"
! grep -q '_box\|reopened' out || fail "an alias that is not called so, or is not public"
expect 0 "$SPILE" -I tapset -L 'box*open*'
is '# aliases: 2
box.open name:string
box.reopened'
expect 0 "$SPILE" --json -I tapset -L 'b*reop*'
is '{"point":"box.reopened","kind":"aliases","variables":[]}'
expect 0 "$SPILE" -l vfs_read
grep -A 1 '^# kernel functions: 1$' out | grep -q '^kernel\.function("vfs_read' || fail "no function of the kernel"
# Those of the program that is run.
expect 0 "$SPILE" -L add -c "$PROGS/calls"
prints "^process\\(\"$PROGS/calls\"\\)\\.function\\(\"add@.*\"\\) \\\$a:int \\\$b:long int\$"
# A point that is complete is listed as such; one that is not, by its forms.
expect 0 "$SPILE" -l begin
is begin
expect 0 "$SPILE" -l timer
is '# probe points: 11
timer.hz(number)
timer.jiffies(number)
timer.ms(number)
timer.msec(number)
timer.ns(number)
timer.nsec(number)
timer.profile
timer.s(number)
timer.sec(number)
timer.us(number)
timer.usec(number)'
# Behind a name, the forms are those of its points alone.
expect 0 "$SPILE" -l 'timer.m*'
is 'timer.ms(number)
timer.msec(number)'
expect 0 "$SPILE" -l 'kernel.tr*'
is 'kernel.trace(string)
kernel.tracepoint(string)'
# Examples are commands: their names come with what they do.
expect 0 "$SPILE" -l 'opensn*'
[ "$(head -n 1 out)" = '# examples: 1' ] || fail "no example"
# What nothing is called has the message of a script, with what was probably meant.
expect 1 "$SPILE" -I tapset -l vfs_raed
says "there is no probe point 'vfs_raed'"
says "of the kernel's functions, did you mean 'vfs_read'"
expect 1 "$SPILE" -p2 -e 'probe vfs_read.return {}'
says 'did you mean kernel\.function\("vfs_read"\)\.return\?'
expect 1 "$SPILE" -I tapset -p2 -e 'probe reopened {}'
says 'did you mean box\.reopened\?'
