# SPDX-License-Identifier: GPL-2.0-or-later
# The probe family vfs: each alias fires, and their variables tell what testsuite/progs/files.c has done to a file of ext4.
. "$SUITE/lib.sh"

family 'vfs\.'
cat >values.stp <<'S'
global known
function mine() { return pid() == target() }
probe vfs.open.return { if (mine() && isinstr(pathname, "/known")) printf("%s %d [%s] %d %s\n", name, ret, error_str, path != 0, cred == @task(task_current())->cred ? "own" : "?") }
probe vfs.write { if (mine() && isinstr(pathname, "/known")) { known = ino printf("%s %d at %d %s %d %s\n", name, bytes_to_write, pos, devname, dev == __file_dev(file), buf ? "buffer" : "") } }
probe vfs.write.return { if (mine() && isinstr(pathname, "/known")) printf("%s returns %s %d of %d at %d\n", name, retstr, bytes_written, bytes_to_write, pos) }
probe vfs.read.return { if (mine() && isinstr(pathname, "/known")) printf("%s returns %d %d of %d at %d %d %s\n", name, ret, bytes_read, bytes_to_read, pos, error, error_str) }
probe vfs.readv, vfs.readv.return { if (mine()) printf("%s %d in %d at %d\n", pn(), bytes_to_read, vlen, pos) }
probe vfs.writev { if (mine() && isinstr(pathname, "/known")) printf("%s %d in %d at %d %d\n", pn(), bytes_to_write, vlen, pos, ino == known) }
probe vfs.readv.return { if (mine()) printf("%s %d %d\n", name, ret, bytes_read) }
probe vfs.do_sync_read { if (mine() && isinstr(pathname, "/known")) printf("%s %d %s %d\n", name, size, units, argstr == sprintf("%d, %d, %p", len, pos, buf)) }
probe vfs.add_to_page_cache { if (mine() && ino == known) printf("%s %s index %d\n", name, devname, index) }
probe vfs.remove_from_page_cache { if (mine() && ino == known) printf("%s %s index %d %s\n", name, devname, index, argstr) }
S
compile -- values.stp
compiled

modprobe loop || skip "there is no module loop"
truncate -s 32M /dev/shm/disk.vfs
mkfs.ext4 -q /dev/shm/disk.vfs || skip "mkfs.ext4 is not installed"
loop=$(losetup --find --show /dev/shm/disk.vfs)
mkdir -p mnt

cat >work.sh <<S
mount $loop mnt
$PROGS/files mnt/known
cat mnt/known >/dev/null
sync
dd if=$loop of=/dev/null bs=64k count=4 status=none
umount mnt
S
cat >silent <<'S'
vfs.buffer_migrate_page pages move when memory is fragmented, which it is not in a guest that has just been started
vfs.buffer_migrate_page.return the same
S
family_fires "bash work.sh"

mount $loop mnt
made 0 -c "exec $PROGS/files mnt/known" -- values.stp
quiet
umount mnt
losetup -d $loop
sed "s/${loop#/dev/}/LOOP/g; s/LOOP, [0-9]*,/LOOP, INODE,/; s/ $//" out >values
diff - values <<'S' || fail "wrong values"
vfs.open 0 [] 1 own
vfs.write 5001 at 0 LOOP 1 buffer
vfs.add_to_page_cache LOOP index 0
vfs.add_to_page_cache LOOP index 1
vfs.write returns 5001 5001 of 5001 at 0
vfs.writev 333 in 2 at 5001 1
do_sync_read 777 bytes 1
vfs.read returns 777 777 of 777 at 1234 0
vfs.readv 333 in 2 at 2011
vfs.readv.return 333 in 2 at 2011
vfs.readv 333 333
vfs.write 11 at 20000 LOOP 1 buffer
vfs.add_to_page_cache LOOP index 4
vfs.write returns 11 11 of 11 at 20000
do_sync_read 22 bytes 1
vfs.read returns 0 0 of 22 at 100000 0
vfs.remove_from_page_cache LOOP index 0 LOOP, INODE, 0
vfs.remove_from_page_cache LOOP index 1 LOOP, INODE, 1
vfs.remove_from_page_cache LOOP index 4 LOOP, INODE, 4
vfs.open 0 [] 1 own
do_sync_read 1 bytes 1
vfs.read returns -9 0 of 1 at 0 9 EBADF
S
