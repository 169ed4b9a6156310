# SPDX-License-Identifier: GPL-2.0-or-later
# Functions, lines and static variables of a kernel module: the file system that the guest's root is.
. "$SUITE/lib.sh"
grep -q '^overlay ' /proc/modules || skip "the module overlay is not loaded"
echo text >file
expect 0 "$SPILE" -v -c "dd if=file of=/dev/null status=none" -e '
probe module("overlay").function("ovl_open") {
  if (pid() == target() && kernel_string($file->f_path->dentry->d_name->name) == "file") printf("%s %s\n", ppfunc(), pp())
}
probe module("overlay").function("ovl_open").return { if (pid() == target() && $return) println("failed") }
probe module("overlay").function("ovl_alloc_inode") { println(kernel_string($ovl_inode_cachep->name)) }'
prints '^ovl_open module\("overlay"\)\.function\("ovl_open@fs/overlayfs/file\.c:[0-9]+"\)$'
! grep -q failed out || fail "ovl_open returned an error"
says '^probe module\("overlay"\).*: kprobe'
rm -f new
expect 0 "$SPILE" -c "touch new" -e 'probe module("overlay").function("ovl_alloc_inode") { println(kernel_string($ovl_inode_cachep->name)) exit() }'
is ovl_inode
