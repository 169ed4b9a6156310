# SPDX-License-Identifier: GPL-2.0-or-later
# A line of a kernel function, with a local that has its value there: what vfs_read has read, before it returns.
. "$SUITE/lib.sh"
"$SPILE" -L 'kernel.statement("vfs_read@fs/read_write.c:*")' >lines 2>err || fail "no lines"
line=$(grep '\$ret:ssize_t' lines | grep -o ':[0-9]*"' | tr -d ':"' | sort -n | tail -n 1)
[ -n "$line" ] || fail "no line of vfs_read has \$ret"
expect 0 "$SPILE" -v -c "dd if=/dev/zero of=/dev/null bs=4321 count=1 status=none" -e "
probe kernel.statement(\"vfs_read@fs/read_write.c:$line\") { if (pid() == target() && \$ret == 4321) { println(\$ret, \" \", ppfunc()) exit() } }"
is '4321 vfs_read'
says "kernel.statement\(\"vfs_read@fs/read_write.c:$line\"\): kprobe"
# An address in memory, and one of the debug information.
address=0x$(sed -n 's/ [Tt] ksys_read$//p' /proc/kallsyms)
[ "$address" != 0x0000000000000000 ] || skip "addresses are hidden"
expect 0 "$SPILE" -c "cat /dev/null" -e "probe kernel.statement($address).absolute { if (pid() == target()) { println(\"here\") exit() } }"
is here
address=0x$(sed -n 's/ [Tt] ksys_read$//p' "/usr/lib/debug/boot/System.map-$(uname -r)")
expect 0 "$SPILE" -c "cat /dev/null" -e "probe kernel.statement($address) { if (pid() == target()) { println(ppfunc(), \" \", \$fd >= 0) exit() } }"
is 'ksys_read 1'
# A label.
expect 0 "$SPILE" -l 'kernel.function("do_sys_poll").label("*")'
prints '^kernel\.function\("do_sys_poll@fs/select\.c:[0-9]+"\)\.label\("out_fds"\)$'
