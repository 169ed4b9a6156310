# SPDX-License-Identifier: GPL-2.0-or-later
# Known values of the kernel, whole: a file of a known size is read at a known offset.
. "$SUITE/lib.sh"
head -c 54321 /dev/zero >known_file
inode=$(stat -c %i known_file)
cat >probe.stp <<'S'
probe kernel.function("vfs_read") {
  if (pid() != target() || $count != 77) next
  printf("%d %d %s %d\n", $count, kernel_long($pos), kernel_string($file->f_path->dentry->d_name->name), $file->f_inode->i_size)
  println($$parms)
  println($$parms$)
  println($file$)
  println($file->f_inode->i_sb->s_id$, " ", $file->f_path->dentry->d_name$, " ", $file->f_inode->i_ino$)
  println($file->f_path->dentry->d_name$$)
  println($file$$)
  s = $file->f_path$
  println(s, " ", $file->f_inode$ == "ERROR", " ", @cast(0, "struct file", "kernel")->f_path$)
}
probe kernel.function("vfs_read").return {
  if (pid() != target() || @entry($count) != 77) next
  println($$return, " ", $$return$, " ", $$parms)
}
probe kernel.trace("sched_process_exec") {
  if (pid() == target()) println($$name, " ", $p->comm$, " ", $bprm->filename$)
}
S
expect 0 "$SPILE" -c "dd if=known_file of=/dev/null bs=77 skip=3 count=1 status=none iflag=skip_bytes" probe.stp
prints '^77 3 known_file 54321$'
prints '^file=0xff[0-9a-f]{14} buf=0x[0-9a-f]+ count=0x4d pos=0xff[0-9a-f]{14}$'
prints '^file=\{.*\.f_path=\{\.\.\.\}, .*\} buf=.* count=77 pos=3$'
prints '^\{.*\.f_inode=0xff[0-9a-f]{14}, .*\.f_pos=3, .*\}$'
prints "^\"[a-z0-9]+\" \{.*\.name=\"known_file\".*\} $inode\$"
prints '\.len=10'
prints '^\{.*\.f_path=\{\.mnt=0xff[0-9a-f]{14}, \.dentry=0xff[0-9a-f]{14}\}, .*\.f_ra=\{\.start='
prints '^\{\.mnt=0xff[0-9a-f]{14}, \.dentry=0xff[0-9a-f]{14}\} 0 ERROR$'
prints '^return=0x4d return=77 file=0xff[0-9a-f]{14} buf=0x[0-9a-f]+ count=0x4d pos=0xff[0-9a-f]{14}$'
prints '^sched_process_exec "dd" "/.*dd"$'
