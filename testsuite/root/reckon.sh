# SPDX-License-Identifier: GPL-2.0-or-later
# Random expressions give in the kernel what a C program gives.
. "$SUITE/lib.sh"
command -v cc >/dev/null || skip "needs a C compiler"
# In a guest, whose processors are emulated, a seed takes a quarter of a minute.
[ "$(uname -n)" = guest ] && seeds=1 || seeds=3
expect 0 "$SUITE/reckon/reckon" --build "$BUILD" --kernel --count 20 1-$seeds
is "$seeds seeds of 40 expressions, 0 failed"
