# SPDX-License-Identifier: GPL-2.0-or-later
# Examples that look at file systems on disks: what they tell of a known use of an ext4 in memory.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_disk
example "$write; $read" ext4dist
number '$1 == "write:" { print ($2 == 40 && $4 >= 0 && $4 <= $8) }'
number '$1 == "read:" { print ($2 == 40) }'
number '$1 == "fsync:" { print ($2 == 1) }'
number '$1 == "open:" { print ($2 >= 2 && $2 < 9) }'
example "$write; $read" ext4dist -p 1
[ ! -s out ] || fail "another process's"
example "$write; $read" ext4slower 0
has 40 '^[0-9:]{8} [0-9]+ +dd +write +[0-9]+\.[0-9]{3} known_file$'
has 40 '^[0-9:]{8} [0-9]+ +dd +read +[0-9]+\.[0-9]{3} known_file$'
has 1 '^[0-9:]{8} [0-9]+ +dd +fsync +[0-9]+\.[0-9]{3} known_file$'
example "$write; $read" ext4slower 60000
has 0 ' dd '

example "$write; $read" disktop
has 1 "^[0-9:]{8} [0-9]+ +dd +$disk +0 +160\$"
has 1 "^[0-9:]{8} [0-9]+ +dd +$disk +160 +0\$"
example "dd if=$loop of=/dev/null bs=64k count=12 iflag=direct status=none" biosnoop -d "$disk"
has 12 "^ +[0-9]+  [0-9]+ +dd +$disk +R +[0-9]+ +65536 +[0-9]+ +[0-9]+\$"
example "sleep 3" loads
prints '^[0-9:]{8} [0-9]+\.[0-9]{2} [0-9]+\.[0-9]{2} [0-9]+\.[0-9]{2}$'
number 'END { print ($2 < 50 && $3 < 50 && $4 < 50) }'

cd /
if modprobe -a md_mod raid1 2>/dev/null; then
	truncate -s 16M /dev/shm/half
	half=$(losetup --find --show /dev/shm/half)
	echo md_known >/sys/module/md_mod/parameters/new_array || fail "no array"
	cd /sys/block/md_known/md || exit 1
	echo none >metadata_version
	echo raid1 >level
	echo 1 >raid_disks
	cat /sys/block/${half#/dev/}/dev >new_dev
	echo 0 >dev-${half#/dev/}/slot
	echo 30000 >component_size
	echo active >array_state || fail "the array does not start"
	cd /tmp || exit 1
	example "dd if=/dev/zero of=/dev/md_known bs=4k count=4 conv=fsync status=none" mdflush
	has 1 '^[0-9:]{8} [0-9]+ +dd +md_known$'
fi
