# SPDX-License-Identifier: GPL-2.0-or-later
# Every shell script parses.
cd "$TOP" || exit 1
for f in quickstart .ci/run testsuite/runtests testsuite/coverage testsuite/vm/run-in-vm testsuite/vm/check-vm bench/run \
		bench/*.sh testsuite/*/*.sh; do
	[ ! -e "$f" ] || bash -n "$f" || bad=1
done
exit ${bad:-0}
