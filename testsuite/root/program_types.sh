# SPDX-License-Identifier: GPL-2.0-or-later
# Of each seed a script for every type of program that the kernel has: what compiles, its verifier takes. More: make check-hooks.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the seeds take too long under sanitizers"
if [ -d "${RUN_OBJECTS:+$RUN_OBJECTS/hooks}" ]; then # compiled outside
	expect 0 "$BUILD/testsuite/meta/metamorph" --load "$RUN_OBJECTS/hooks"
	prints "^[0-9]{2,} objects, 0 failed\$"
	exit
fi
if [ "$(uname -n)" = guest ]; then # whose processors are emulated: a seed of all types takes minutes
	for hook in kprobe fentry fexit uretprobe tracepoint; do
		expect 0 "$BUILD/testsuite/meta/metamorph" --relation hooks --hook $hook --seeds 1-1
		prints "^1 seeds, 1 scripts, 1 comparisons \\([01] of refusals\\), 0 failed\$"
	done
	exit
fi
expect 0 "$BUILD/testsuite/meta/metamorph" --relation hooks --seeds 1-1
prints "^1 seeds, [0-9]{2,} scripts, [0-9]{2,} comparisons \\([0-9]+ of refusals\\), 0 failed\$"
