# SPDX-License-Identifier: GPL-2.0-or-later
# Random expressions give in the kernel what a C program gives.
. "$SUITE/lib.sh"
command -v cc >/dev/null || skip "needs a C compiler"
expect 0 "$SUITE/reckon/reckon" --build "$BUILD" --kernel --count 20 1-3
is '3 seeds of 40 expressions, 0 failed'
