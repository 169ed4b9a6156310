# SPDX-License-Identifier: GPL-2.0-or-later
# The same as cli/write, by handlers in the kernel.
. "$SUITE/lib.sh"
sed "/^\/\//d" "$SUITE/cli/write.stp" >write.stp
expect 0 "$SPILE" -g --engine=kernel -c "$BUILD/testsuite/progs/shapes" write.stp "$BUILD/testsuite/progs/shapes"
sed 's,@TOP@/testsuite/cli/write.stp:\([0-9]*\),write.stp:\1,' "$SUITE/cli/write.out" >expected
sed -E 's,(write.stp):[0-9]+,\1,' expected >a
sed -E 's,(write.stp):[0-9]+,\1,' out >b
cmp a b || fail "the kernel's handlers do something else"
