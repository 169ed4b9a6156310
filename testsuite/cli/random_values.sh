# SPDX-License-Identifier: GPL-2.0-or-later
# Two of the programs of testsuite/compare-values. With gcc 12 -O2 the second one copies what inlined functions are called with behind their
# entries, and has results that no caller uses; with -m32 -O1 it has structures in memory and registers.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "needs python3"
compilers=("gcc -O2")
runs_32_bits && compilers+=("gcc -m32 -O1")
expect 0 "$SUITE/compare-values" --spile "$SPILE" --seeds 6-7 "${compilers[@]}"
prints '^[0-9]+ values, [0-9]+ of them known and the same$'
