# SPDX-License-Identifier: GPL-2.0-or-later
# The events of system calls as the kernel's image describes them are those of tracefs, and a script that is compiled so runs.
. "$SUITE/lib.sh"
image=/usr/lib/debug/boot/vmlinux-$(uname -r)
[ -e "$image" ] || skip "there is no $image"
expect 0 "$SPILE" -L 'kernel.trace("syscalls:sys_*_open*")'
cp out running
[ "$(wc -l <running)" -ge 6 ] || fail "too few"
expect 0 "$SPILE" -r "$image" -L 'kernel.trace("syscalls:sys_*_open*")'
diff running out >difference || fail "$(cat difference)"
expect 0 "$SPILE" -r "$image" -p4 -o calls.spo -e 'probe kernel.trace("syscalls:sys_enter_openat") {
	if (user_string2($filename, "") == "/nosuch") println($flags & 3, " ", $dfd == 4294967196 || $dfd == -100)
}'
expect 0 "$SPILE_RUN" -c 'sh -c "read x </nosuch; true"' calls.spo
prints '^0 1$'
