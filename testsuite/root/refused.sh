# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel function where the kernel takes no such hook: which probe, which hook, why, what helps; status 3.
. "$SUITE/lib.sh"
"$SPILE" -T 3 -e 'probe kernel.function("vfs_read") { exit() }' >out 2>err
status=$?
[ $status != 0 ] || skip "this kernel takes kernel.function probes"
[ $status = 3 ] || [ $status = 1 ] || fail "status $status"
says 'vfs_read'
if [ $status = 3 ]; then
	says 'fentry|kprobe'
else # without debug information the probe point has no match: says what would bring it
	says 'debug|BTF|-dbg'
fi
