# SPDX-License-Identifier: GPL-2.0-or-later
# Random expressions give what a C program gives.
. "$SUITE/lib.sh"
command -v cc >/dev/null || skip "needs a C compiler"
expect 0 "$SUITE/reckon/reckon" --build "$BUILD" 1-3
is '3 seeds of 200 expressions, 0 failed'
