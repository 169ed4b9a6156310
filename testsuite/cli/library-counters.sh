# SPDX-License-Identifier: GPL-2.0-or-later
# What an alias of the library counts in a global of the library costs nothing in a script that does not read it.
. "$SUITE/lib.sh"
mkdir lib
cat >lib/counter.stp <<'S'
global Counted
probe counter.tick = timer.ms(1) { op = 1; Counted[op] += op; Counted[2]++ }
S
expect 0 "$SPILE" -I lib --cost -e 'probe counter.tick { println(op) exit() }'
! grep -q '^  array Counted' out || fail "the counter is kept"
expect 0 "$SPILE" -I lib --cost -e 'probe counter.tick { println(Counted[op]) exit() }'
prints '^  array Counted: '
expect 0 "$SPILE" -I lib --engine=user -e 'probe counter.tick { println(Counted[op], Counted[2]) exit() }'
is 11
