# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel function where the kernel takes no such hook: which probe, which hook, why, what helps; status 3.
. "$SUITE/lib.sh"
"$SPILE" -T 3 -e 'probe kernel.function("vfs_read") { exit() }' >out 2>err
status=$?
[ $status != 0 ] || skip "this kernel takes kernel.function probes"
case $status in
3) says '^ERROR: cannot attach probe kernel\.function\("vfs_read.*"\) \((fentry|kprobe)\): this kernel has no [a-z]+ \(CONFIG_[A-Z_]+\), or /sys is not mounted; .*$' ;;
1) # without debug information the probe point has no match: says what would bring it
	says '^semantic error: .*no debug information for kernel .*; install .* \[E507\]$' ;;
*) fail "status $status" ;;
esac
