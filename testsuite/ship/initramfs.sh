# SPDX-License-Identifier: GPL-2.0-or-later
# The static spile-run is under 2.5 MB, and runs in a guest whose file system has nothing else, with an installed kernel.
. "$SUITE/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can make the device files of the guest's file system"
static=$BUILD/spile-run-static
[ -x "$static" ] || fail "make spile-run-static has not been run"
readelf -lW "$static" | grep INTERP && fail "it is not static"
[ "$(stat -c %s "$static")" -lt 2500000 ] || fail "it has $(stat -c %s "$static") bytes"
release=$(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-//p' | head -n 1)
[ -n "$release" ] && [ -e "/boot/vmlinuz-$release" ] || skip "no kernel with debug information is installed"
command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
cat >x.stp <<'S'
global switches, writes
probe kernel.trace("sched:sched_switch") { switches++ }
probe kernel.function("ksys_write") { writes += $count > 0 }
probe timer.ms(100) { println("tick") if (writes) exit() }
probe end { println(switches > 0, " ", writes > 0) }
S
expect 0 "$SPILE" -p4 -r "$release" -o x.spo x.stp
expect 0 "$TOP/testsuite/vm/run-in-initramfs" x86_64 "/boot/vmlinuz-$release" "$static" x.spo
prints '^tick$'
prints '^1 1$'

# Signatures, too: libsodium is in it.
grep -q SODIUM_SONAME "$BUILD/Makefile" && command -v minisign >/dev/null || exit 0
minisign -G -W -p a.pub -s a.key >/dev/null
expect 0 "$SPILE" -p4 -o y.spo -e 'probe begin { println("it runs") exit() }'
expect 0 "$SPILE" pack sign y.spo -s a.key -t 'it is ours'
expect 0 "$static" --require-signature a.pub y.spo
is 'it runs'
echo >>y.spo
expect 1 "$static" --require-signature a.pub y.spo
is ''
