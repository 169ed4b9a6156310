# SPDX-License-Identifier: GPL-2.0-or-later
# Loads and stores that are 32 kB and more behind the frame's base need an address. A handler that had more stack than the kernel keeps
# none of these there.
. "$SUITE/lib.sh"

expect 0 "$SPILE" -w --engine=kernel -p4 -o /dev/null --cost -D MAXSTRINGLEN=2000 "$SUITE/progs/far.stp" "$PROGS/calls"
together=$(sed -n 's/^  kernel: .*(\([0-9]*\) with what it calls), [0-9]\{5\} of scratch$/\1/p' out)
[ "${together:-999}" -le 448 ] || fail "the handler and what it calls take ${together:-?} bytes of stack"
