# SPDX-License-Identifier: GPL-2.0-or-later
# Of each seed a script for every type of program that the kernel has: what compiles, its verifier takes. More: make check-hooks.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the seeds take too long under sanitizers"
[ "$(uname -n)" = guest ] && seeds=1 || seeds=3
expect 0 "$BUILD/testsuite/meta/metamorph" --relation hooks --seeds 1-$seeds
prints "^$seeds seeds, [0-9]{2,} scripts, [0-9]{2,} comparisons \\([0-9]+ of refusals\\), 0 failed\$"
