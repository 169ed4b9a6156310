# SPDX-License-Identifier: GPL-2.0-or-later
# Functions, lines and static variables of kernel modules: the file system that the guest's root is, and loop devices.
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

# What is known of a loop device's first request: LOOP_CONFIGURE is 0x4c0a. The last of the devices that there are at once.
if ! [ -e /sys/module/loop ]; then
	expect 0 timeout 60 "$SPILE" -T 1 -e 'probe module("loop").function("lo_ioctl") ?, begin { println("runs") }'
	is runs
	says '^WARNING: kernel module `loop` is not loaded: its probes are set when it is$'
fi
modprobe loop || skip "there is no module loop"
head -c 1048576 /dev/zero >/dev/shm/numbered
cat >probe.stp <<'S'
probe module("loop").function("lo_ioctl")
{
  if (pid() == target() && $cmd == 0x4c0a) printf("entry %s\n", kernel_string($bdev->bd_disk->disk_name))
}
probe module("loop").statement("lo_ioctl@drivers/block/loop.c:+5")
{
  if (pid() == target() && $cmd == 0x4c0a) printf("line: loop%d, %s\n", $lo->lo_number, symname(addr()))
}
probe module("loop").function("loop_configure")
{
  if (pid() == target()) printf("block size %d, offset %d\n", $config->block_size, $config->info->lo_offset)
}
probe module("loop").function("get_size").inline
{
  if (pid() == target()) printf("inlined: from %d of %s\n", $offset, kernel_string($file->f_path->dentry->d_name->name))
}
probe module("loop").function("lo_ioctl").return
{
  if (pid() == target() && @entry($cmd) == 0x4c0a) printf("return %d\n", $return)
}
S
expect 0 "$SPILE" -c "losetup -o 4096 /dev/loop7 /dev/shm/numbered" probe.stp
is 'entry loop7
line: loop7, lo_ioctl
block size 0, offset 4096
inlined: from 4096 of numbered
return 0'
losetup -d /dev/loop7
