# SPDX-License-Identifier: GPL-2.0-or-later
# Variables whose values are known: of a file of 54321 bytes, 777 are read at 3. Locals at lines, a structure on the stack, an
# inlined function's parameter, parameters that were in a register at the entry, and what a return probe has of the entry.
. "$SUITE/lib.sh"
head -c 54321 /dev/zero >known_file
cat >probe.stp <<'S'
global armed
function name(file) { return kernel_string(@cast(file, "file", "kernel")->f_path->dentry->d_name->name) }

probe kernel.function("vfs_read")
{
  if (pid() != target() || $count != 777) next
  armed = tid()
  printf("entry: %d at %d of %s, %d bytes, %d\n", $count, $pos[0], name($file), $file->f_inode->i_size,
	 $file->f_path->dentry->d_inode == $file->f_inode)
}
// An inlined function's parameter, before vfs_read is called.
probe kernel.function("file_ppos@fs/read_write.c").inline
{
  if (pid() == target() && name($file) == "known_file")
    printf("inlined: %s at %d\n", name($file), $file->f_pos)
}
// A structure of pieces, or of one word; what is assigned before the line has its value there.
probe kernel.statement("ksys_read@fs/read_write.c:+11")
{
  if (pid() != target() || $count != 777) next
  file = @choose_defined($f->file, $f->word & ~3)
  printf("line: %d at %d (%d), %s\n", $count, $pos, $ppos[0], name(file))
}
probe kernel.statement("ksys_read@fs/read_write.c:+12")
{
  if (pid() == target() && tid() == armed)
    printf("next line: %d at %d\n", $ret, $pos)
}
// Structures in the function's frame.
probe kernel.statement("new_sync_read@fs/read_write.c:+10")
{
  if (pid() == target() && tid() == armed)
    printf("frame: %d at %d, %s, %d\n", $iter->count, $kiocb->ki_pos, name($kiocb->ki_filp), $kiocb->ki_filp == $filp)
}
probe kernel.function("vfs_read").return
{
  if (pid() != target() || @entry($count) != 777) next
  printf("return: %d of %d (%d), from %d (%d) to %d, %s, %s\n", $return, @entry($count), $count, @entry($pos ? $pos[0] : 0),
	 @entry($pos ? kernel_long($pos) : 0), kernel_long($pos), name($file), @entry(name($file)))
}
S
expect 0 "$SPILE" -c "dd if=known_file of=/dev/null bs=777 skip=3 count=1 status=none iflag=skip_bytes" probe.stp
quiet
is 'inlined: known_file at 3
line: 777 at 3 (3), known_file
entry: 777 at 3 of known_file, 54321 bytes, 1
frame: 777 at 3, known_file, 1
return: 777 of 777 (777), from 3 (3) to 780, known_file, known_file
next line: 777 at 780'

# Behind the last use of the parameters, of which a probe at the entry has kept the registers; fexit runs the body in
# another frame.
expect 0 "$SPILE" -c "dd if=known_file of=/dev/null bs=777 skip=3 count=1 status=none iflag=skip_bytes" -e '
probe kernel.statement("vfs_read@fs/read_write.c:+28") {
  if (pid() == target() && $count == 777)
    printf("%d of %s, %d\n", $count, kernel_string($file->f_path->dentry->d_name->name), $pos[0])
}
probe kernel.function("vfs_read").return {
  if (pid() == target() && $return == 777) println("returned")
}'
quiet
is '777 of known_file, 780
returned'
