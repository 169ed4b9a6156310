# SPDX-License-Identifier: GPL-2.0-or-later
# Aliases of the library whose place in the kernel is gone, and those of a wildcard that are not there.
. "$SUITE/lib.sh"
# The alias ends in a chain of `!`, whose last point must be there: the alias is what is told.
cat >gone.stp <<'S'
probe nfs.aop.readpage = process(@1).function("neither") !, process(@1).function("nosuch") { name = "readpage" }
probe nfs.aop.readpage { println(name) }
S
expect 1 "$SPILE" gone.stp "$PROGS/calls"
says "^semantic error: Linux has had nothing for nfs\.aop\.readpage since [0-9.]+ \[E403\]$"
says '^    note: nfs\.aop\.read_page_folio sees the same in all kernels$'
! grep -q nosuch err || fail "more is told than that the place is gone"
# An old kernel has it.
sed 's/nosuch/look/' gone.stp >there.stp
expect 0 "$SPILE" -c "$PROGS/calls" there.stp "$PROGS/calls"
prints '^readpage$'
# When it went is not known of all.
expect 1 "$SPILE" -e 'probe nfs.proc3.read { println(name) }'
says '^semantic error: no Linux since 5\.4 has anything for nfs\.proc3\.read \[E403\]$'
# What a wildcard stands for need not be there as a whole, but some of it.
cat >some.stp <<'S'
probe some.first = process(@1).function("nosuch") !, process(@1).function("neither") { }
probe some.second = process(@1).function("look") { }
probe some.* { println(pn()) }
S
expect 0 "$SPILE" -c "$PROGS/calls" some.stp "$PROGS/calls"
is some.second
expect 1 "$SPILE" -e 'probe some.first = never, process(@1).function("nosuch") { } probe some.first { println(1) }' "$PROGS/calls"
says '^semantic error: nothing matches process'
sed 's/look/nosuch/' some.stp >none.stp
expect 1 "$SPILE" none.stp "$PROGS/calls"
says '^semantic error: none of the points that this alias stands for is there \[E401\]$'
