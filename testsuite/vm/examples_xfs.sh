# SPDX-License-Identifier: GPL-2.0-or-later
# examples/files/xfsdist: that its probes can be attached, and what it tells of a known use of an XFS in memory.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
modprobe -a xfs loop || skip "there are no modules xfs and loop"
example true xfsdist
[ ! -s out ] || fail "nothing has used XFS"
command -v mkfs.xfs >/dev/null || skip "there is no mkfs.xfs"
truncate -s 320M /dev/shm/image.xfs
mkfs.xfs -q /dev/shm/image.xfs
mkdir /mnt/xfs
mount -o loop /dev/shm/image.xfs /mnt/xfs || fail "no XFS"
cd /mnt/xfs || exit 1
example "dd if=/dev/zero of=known_file bs=4096 count=40 conv=fsync status=none; dd if=known_file of=/dev/null bs=4096 count=40 status=none" xfsdist
for line in write:40 read:40 fsync:1; do
	[ "$(awk -v name="${line%:*}:" '$1 == name { print $2 }' out)" = "${line#*:}" ] || fail "not $line"
done
