# SPDX-License-Identifier: GPL-2.0-or-later
# Why a variable cannot be read, and where it can: the place that the message names takes a probe that reads it.
. "$SUITE/debug/lib"
program shapes shapes-gcc-O2-dwarf5 twin

# ask POINT NAME: what is said of $NAME at the point; then the place that it names is tried.
ask()
{
	local place
	echo "--- $1 $2"
	"$SPILE" -p2 -e "probe process(\"./shapes\").$1 { println($2) }" >out 2>err && { cat out; return 0; }
	sed -n "s,$PWD/,,g; s/^semantic error: //p; s/^    \(note: \|hint: \)/  \1/p" err
	place=$(sed -n 's/.*the nearest place is //p' err)
	[ -n "$place" ] || return 0
	"$SPILE" -p2 -e "probe $place { println($2) }" >out 2>err || { cat err; fail "$place does not take $2"; }
}

ask 'function("use")' '$total' # a local that has no value yet
ask 'function("use")' '$item' # of an inner block
ask 'statement("use@shapes.c:71")' '$total' # no longer
ask 'function("use")' '$nosuch'
