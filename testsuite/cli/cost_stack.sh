# SPDX-License-Identifier: GPL-2.0-or-later
# Walking the stack of a program takes little of the kernel's 512 bytes of stack, which the handler shares with it.
. "$SUITE/lib.sh"

expect 0 "$SPILE" -p4 -o /dev/null --cost --engine=kernel -e 'probe process(@1).function("tick") { println(ubacktrace()) }' "$BUILD/testsuite/progs/once"
together=$(sed -n 's/.*(\([0-9]*\) with what it calls).*/\1/p' out)
[ "${together:-999}" -le 224 ] || fail "the handler and what it calls take ${together:-?} bytes of stack"
