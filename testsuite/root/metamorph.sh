# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts and programs from seeds: handlers print in the kernel what they print in user space.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the seeds take too long under sanitizers"
if [ -d "${RUN_OBJECTS:+$RUN_OBJECTS/metamorph}" ]; then # compiled outside, with what they have to print
	expect 0 "$BUILD/testsuite/meta/metamorph" --load "$RUN_OBJECTS/metamorph"
	prints "^[0-9]{2,} objects, 0 failed\$"
	exit
fi
# In a guest, whose processors are emulated, a seed takes half a minute.
[ "$(uname -n)" = guest ] && seeds=1 || seeds=10
expect 0 "$BUILD/testsuite/meta/metamorph" --kernel --seeds 1-$seeds
prints "^$seeds seeds, [0-9]{2,} scripts, [0-9]{2,} comparisons \\([0-9]+ of refusals\\), 0 failed\$"
