# SPDX-License-Identifier: GPL-2.0-or-later
# --kprobe-events: commands of tracefs.
. "$SUITE/lib.sh"
p="process(\"$PROGS/calls\").function(\"add\")"
offset=0x$(nm "$PROGS/calls" | sed -n 's/^0*\([0-9a-f]*\) T add$/\1/p') # code of the program is at its address in the file
arch=$(uname -m)
[ "$arch" = x86_64 ] || skip "registers of x86_64"
expect 0 "$SPILE" --kprobe-events "$p"
is "p:spile/add $PROGS/calls:$offset"
quiet
for words in '$params' '$a $b' '$b  $a' '$vars'; do
	expect 0 "$SPILE" --kprobe-events "$p $words"
	prints "^p:spile/add $PROGS/calls:$offset a=%di:s[0-9]+ b=%si:s[0-9]+( |$)"
done
expect 0 "$SPILE" --kprobe-events "$p \$b"
prints ' b=%si:s[0-9]+$'
! grep -q ' a=' out || fail "more than was asked for"
expect 0 "$SPILE" --kprobe-events "$p.return \$return"
prints "^r:spile/add__return $PROGS/calls:$offset ret=.retval:s[0-9]+\$"
expect 1 "$SPILE" --kprobe-events "$p \$nosuch"
says '^ERROR: no place of the probe point has a variable \$nosuch$'
is ''
expect 2 "$SPILE" --kprobe-events "$p \$a b"
says '^ERROR: b: variables begin with \$$'
expect 1 "$SPILE" --kprobe-events 'timer.s(1)'
says '^WARNING: timer\.s\(1\) is left out: only functions and statements can be events of ftrace$'
is ''
expect 1 "$SPILE" --kprobe-events "process(\"$PROGS/calls\").function(\"nosuch\")"
says 'nothing matches'
# A name that comes twice gets a number.
expect 0 "$SPILE" --kprobe-events "$p, $p"
prints '^p:spile/add '
prints '^p:spile/add_1 '
