# SPDX-License-Identifier: GPL-2.0-or-later
# -l and -L in SystemTap's format.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -L 'kernel.function("vfs_read")'
[ "$(wc -l <out)" = 1 ] || fail "not one line"
prints '^kernel\.function\("vfs_read@fs/read_write\.c:[0-9]+"\) \$file:struct file\* \$buf:char\* \$count:size_t \$pos:loff_t\*$'
expect 0 "$SPILE" -l 'kernel.function("vfs_*")'
[ "$(wc -l <out)" -ge 50 ] || fail "only $(wc -l <out) functions"
expect 0 "$SPILE" -l 'kernel.function("*@fs/read_write.c")'
prints '"ksys_read@fs/read_write.c:[0-9]+"'
! grep -v '@fs/read_write\.c:' out || fail "from another file"
