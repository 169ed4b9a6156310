# SPDX-License-Identifier: GPL-2.0-or-later
# Examples as commands: their options set globals, --examples searches them, -h prints the comment at their top.
. "$SUITE/lib.sh"
export SPILE_EXAMPLES=$PWD/examples
mkdir -p examples/files examples/net
cat >examples/files/known.stp <<'END'
#! /usr/bin/env spile
// SPDX-License-Identifier: GPL-2.0-or-later
// What is given, in
// one line. And more.
//
//   spile known -p 12 WORD
//
//   -p PID  that process alone [only_pid]
//   -n NAME  that name alone [only_name]
//   -x      the failed ones alone [only_failed]
global only_pid, only_name = "none", only_failed
// not part of it
probe oneshot { println(only_pid, only_name, only_failed, %( $# > 0 %? @1 %: "" %)) }
END
echo '// Packets of the network.' >examples/net/packets.stp

expect 0 "$SPILE" known
is 0none0
expect 0 "$SPILE" known -p 12 -nfoo -x word
is 12foo1word
expect 0 "$SPILE" --engine=user --example known -x -- -p
is '0none1-p'
expect 0 "$SPILE" --example=known.stp word
is 0none0word
# Options of spile stand before the name; a file of the name wins.
expect 0 "$SPILE" -o result known -p 3
[ "$(cat result)" = 3none0 ] || fail "wrong file"
expect 0 "$SPILE" -w --disable-cache known -p 4
is 4none0
echo 'probe oneshot { println("file") }' >known
expect 0 "$SPILE" known
is file
rm known

expect 0 "$SPILE" known -h
is 'What is given, in
one line. And more.

  spile known -p 12 WORD

  -p PID  that process alone
  -n NAME  that name alone
  -x      the failed ones alone'
expect 2 "$SPILE" known -q
says '^spile: known has no option -q$'
says '^  -p PID  that process alone$'
expect 2 "$SPILE" known -p
says '^spile: known needs something behind -p$'
expect 1 "$SPILE" knwon
says "^spile: there is no script 'knwon', and no example of that name; --examples lists them$"
expect 1 "$SPILE" ./known
says '^ERROR: cannot open ./known: No such file'
expect 2 "$SPILE" --example knwon
says "^spile: there is no example 'knwon'; --examples lists them$"

expect 0 "$SPILE" --examples
is 'files
  known                What is given, in one line.

net
  packets              Packets of the network.'
expect 0 "$SPILE" --examples PACK
is 'net
  packets              Packets of the network.'
expect 1 "$SPILE" --examples nothing
says "^spile: no example is about 'nothing'; --examples lists them all$"

# Those of the tree have what -h and --examples need.
unset SPILE_EXAMPLES
for script in "$TOP"/examples/*/*.stp; do
	expect 0 "$SPILE" --example "$(basename "$script" .stp)" -h
	sed -n 1p out | grep -q '^[A-Z]' || fail "$script does not begin with what it shows"
done
