# SPDX-License-Identifier: GPL-2.0-or-later
# A program that is replaced while it is probed: its probes are in the old file, and that is told.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cp "$BUILD/testsuite/progs/calls" prog
cat >work.sh <<'S'
./prog >/dev/null
[ "$1" != yes ] || { cp prog new; mv new prog; }
S
traced() { expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c "sh work.sh $1" -e 'probe process("./prog").function("main") { println("main") }'; }
traced no
is main
quiet
traced yes
is main
says "^WARNING: $TMP/prog was replaced while it was probed: processes that run the new file were not seen$"
