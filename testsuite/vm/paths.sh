# SPDX-License-Identifier: GPL-2.0-or-later
# Paths of files, over a mount; the memory of a process; what a function returns.
. "$SUITE/lib.sh"
mkdir -p disk && mount -t tmpfs none disk && mkdir -p disk/a/b && echo text >disk/a/b/file || exit 1
expect 0 "$SPILE" -c "cat $PWD/disk/a/b/file >/dev/null" -e 'probe kernel.function("vfs_read").return {
  if (pid() != target() || d_name(@entry($file)->f_path->dentry) != "file" || seen++)
    next
  file = @entry($file)
  println(fullpath_struct_file(task_current(), file))
  println(fullpath_struct_path(&@cast(file, "file", "kernel")->f_path))
  println(reverse_path_walk(@cast(file, "file", "kernel")->f_path->dentry), " ", inode_path(@cast(file, "file", "kernel")->f_inode))
  println(fullpath_struct_path(task_cwd_path(task_current())))
  println(proc_mem_rss() > 0, proc_mem_size(pid()) == proc_mem_size(), " ", returnval(), " ", returnstr(2))
} global seen'
umount disk
is "$PWD/disk/a/b/file
$PWD/disk/a/b/file
/a/b/file /a/b/file
$PWD
11 5 0x5"
quiet
