# SPDX-License-Identifier: GPL-2.0-or-later
# Parameters and results: sign, width, pointers, embedded structures, strings.
. "$SUITE/lib.sh"
cat >probe.stp <<'S'
probe kernel.function("vfs_read") {
  if (pid() == target() && $count == 4321) {
    printf("name %s\n", kernel_string($file->f_path->dentry->d_name->name))
    printf("mode %o\n", $file->f_inode->i_mode & 0170000)
    printf("dev %d\n", $file->f_inode->i_sb->s_dev > 0)
  }
}
probe kernel.function("vfs_read").return {
  if (pid() == target() && @entry($count) == 4321)
    printf("got %d\n", $return)
}
S
echo "nine char" >ninechars
expect 0 "$SPILE" -c "dd if=ninechars of=/dev/null bs=4321 status=none" probe.stp
quiet
head -n 4 out >first
printf 'name ninechars\nmode 100000\ndev 1\ngot 10\n' | cmp -s - first || fail "wrong values"
# a negative result, of a command that goes on until exit()
expect 0 "$SPILE" -c "exec cat / /dev/zero >/dev/null" -e 'probe kernel.function("vfs_read").return { if (pid() == target() && $return < 0) { println($return) exit() } }'
is -21
expect 0 "$SPILE" -c "true" -e 'probe kernel.function("do_sys_openat2") { if (pid() == target()) { println(user_string($filename)) exit() } }'
prints '^/'
