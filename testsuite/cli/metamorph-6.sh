# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts and programs from seeds: what is said in two ways prints the same, in all engines that need no privilege.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the seeds take too long under sanitizers"
expect 0 "$BUILD/testsuite/meta/metamorph" --jobs 1 --seeds 126-150
prints '^25 seeds, [0-9]{3,} scripts, [0-9]{2,} comparisons \([0-9]+ of refusals\), 0 failed$'
