# SPDX-License-Identifier: GPL-2.0-or-later
# A .return probe with a condition and @entry() stays in the kernel where that is fexit, and else is there while its condition holds. What
# goes wrong otherwise is in the case of the same name in vm.
. "$SUITE/lib.sh"
[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no types"
"$SPILE_RUN" --describe >here || fail "no description"
sed 's/^\(features.*\) fentry\>/\1/' here >without
sed 's/^features/& fentry/' without >with
cat >exit.stp <<'S'
global on, taken
probe kernel.function("vfs_read").return if (on) { taken = gettimeofday_ms() - @entry(gettimeofday_ms()) }
probe timer.s(1) { on = 1 }
S
expect 0 "$SPILE" --target with -p2 exit.stp
grep -q '(fexit: ' out || skip "types do not know vfs_read()"
! grep -q '^	site if of ' out || fail "it is taken out of the kernel"
expect 0 "$SPILE" --target without -p2 exit.stp
prints '^	site if of '
exit 0
