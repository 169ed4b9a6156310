# SPDX-License-Identifier: GPL-2.0-or-later
# The same as cli/write, by handlers in the kernel.
. "$SUITE/lib.sh"
sed "/^\/\//d" "$SUITE/cli/write.stp" >write.stp
expect 0 "$SPILE" -g --engine=kernel -c "$PROGS/shapes >said" write.stp "$PROGS/shapes"
sed -E 's,(write.stp):[0-9]+,\1,' "$SUITE/cli/write.out" >a
cat out said | sed -E 's,(write.stp):[0-9]+,\1,' >b
cmp a b || fail "the kernel's handlers do something else"
