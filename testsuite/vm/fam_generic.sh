# SPDX-License-Identifier: GPL-2.0-or-later
# The probe family generic: each alias fires, and their variables tell what testsuite/progs/files.c has done to a file of ramfs.
. "$SUITE/lib.sh"

family 'generic\.'
cat >values.stp <<'S'
function mine() { return pid() == target() }
probe generic.fop.llseek { if (mine()) printf("%s %s %d %s %d %s\n", name, d_name(@cast(file, "file", "kernel")->f_path->dentry), offset, whence_str, origin, argstr) }
probe generic.fop.llseek.return { if (mine()) printf("%s %d %s %s\n", name, offset, retstr, error_str) }
# Until 6.5 splice() reads by the same function.
probe generic.fop.read_iter, generic.fop.aio_read { if (mine() && size != 2222 && size != 3333 && isinstr(pathname, "known")) printf("%s %d %s at %d %d %s\n", pn(), size, units, pos, buf > 0, devname) }
probe generic.fop.read_iter.return { if (mine() && size != 2222 && size != 3333 && isinstr(pathname, "known")) printf("%s %d %d %s %d\n", pn(), size, bytes_read, retstr, error) }
probe generic.fop.write_iter { if (mine() && isinstr(pathname, "known")) printf("%s %d %s at %d %d\n", pn(), size, units, pos, ino == __file_ino(file)) }
probe generic.fop.write_iter.return { if (mine() && isinstr(pathname, "known")) printf("%s %d %s\n", pn(), size, retstr) }
probe generic.fop.mmap { if (mine() && isinstr(pathname, "known")) printf("%s %d %x\n", pn(), vm_end - vm_start, vm_flags & 0xf) }
probe generic.fop.mmap.return { if (mine() && isinstr(pathname, "known")) printf("%s %s\n", pn(), retstr) }
probe generic.fop.splice_read { if (mine() && isinstr(pathname, "known")) printf("%s %d %s %d\n", pn(), len, units, dev == MKDEV(dev_major, dev_minor)) }
probe generic.fop.splice_read.return { if (mine() && isinstr(pathname, "known")) printf("%s %d %d %s\n", pn(), ret, size, error_str) }
probe generic.fop.splice_write { if (mine() && isinstr(pathname, "known")) printf("%s %d %s\n", pn(), size, units) }
probe generic.fop.splice_write.return { if (mine() && isinstr(pathname, "known")) printf("%s %d %s\n", pn(), size, retstr) }
S
compile -- values.stp
compiled

mkdir -p mnt ext4
mount -t ramfs none mnt || skip "there is no ramfs"
truncate -s 16M /dev/shm/disk.generic
modprobe loop && mkfs.ext4 -q /dev/shm/disk.generic && mount -o loop /dev/shm/disk.generic ext4 || skip "there is no loop device with ext4"

# What is opened for the first time comes over fuse, whose open() is the common one.
cat >work.sh <<S
$PROGS/files mnt/known
$PROGS/files ext4/known
cat /usr/share/doc/*/copyright >/dev/null
sync
S
family_fires "bash work.sh"

made 0 -c "exec $PROGS/files mnt/known" -- values.stp
quiet
sed 's/ $//' out >values
diff - values <<'S' || fail "wrong values"
generic.fop.write_iter 5001 bytes at 0 1
generic.fop.write_iter.return 5001 5001
generic.fop.write_iter 333 bytes at 5001 1
generic.fop.write_iter.return 333 333
generic_file_llseek known 1234 SEEK_SET 0 1234, 0
generic_file_llseek 1234 1234
generic.fop.read_iter 777 bytes at 1234 1 N/A
generic.fop.aio_read 777 bytes at 1234 1 N/A
generic.fop.read_iter.return 777 777 777 0
generic.fop.read_iter 333 bytes at 2011 1 N/A
generic.fop.aio_read 333 bytes at 2011 1 N/A
generic.fop.read_iter.return 333 333 333 0
generic.fop.write_iter 11 bytes at 20000 1
generic.fop.write_iter.return 11 11
generic.fop.read_iter 22 bytes at 100000 1 N/A
generic.fop.aio_read 22 bytes at 100000 1 N/A
generic.fop.read_iter.return 0 0 0 0
generic.fop.mmap 8192 b
generic.fop.mmap.return 0
generic.fop.splice_read 2222 bytes 1
generic.fop.splice_read.return 2222 2222
generic.fop.splice_write 2222 bytes
generic.fop.write_iter 2222 bytes at 2222 1
generic.fop.write_iter.return 2222 2222
generic.fop.splice_write.return 2222 2222
generic.fop.splice_read 3333 bytes 1
generic.fop.splice_read.return 3333 3333
S
umount mnt ext4
