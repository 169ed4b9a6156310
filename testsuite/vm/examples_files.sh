# SPDX-License-Identifier: GPL-2.0-or-later
# examples/files, those that probe functions of the kernel: what they tell of known reads and writes.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
mkdir /dev/shm/files
cd /dev/shm/files || exit 1
head -c 54321 /dev/zero >known_file

# 30 reads of 1000 bytes, 20 writes of 512.
read_write="dd if=known_file of=/dev/null bs=1000 count=30 status=none; dd if=/dev/zero of=written bs=512 count=20 status=none"
# Wildcards match functions that the kernel does not let be probed, which is said.
expect 0 timeout 120 "$SPILE" -c "$read_write" vfscount
number '$1 == "vfs_read" { print ($2 >= 50) }'
number '$1 == "vfs_write" { print ($2 >= 50) }'
rm written
example "$read_write; sync written" vfsstat
number 'NR > 1 { r += $2; w += $3; o += $4; f += $5; c += $6 } END { print (r >= 50 && r < 9000 && w >= 50 && w < 9000 && o >= 4 && f >= 1 && f < 9 && c >= 1 && c < 9) }'
example "$read_write" filetop
has 1 '^[0-9]+ +dd +30 +0 +29 +0 R known_file$'
has 1 '^[0-9]+ +dd +0 +20 +0 +10 R written$'
has 0 ' O zero$'
example "$read_write" filetop -a
has 1 '^[0-9]+ +dd +20 +0 +10 +0 O zero$'
example "$read_write" fileslower 0
has 30 '^[0-9:]{8} [0-9]+ +dd +R +1000 +[0-9]+\.[0-9]{3} known_file$'
has 20 '^[0-9:]{8} [0-9]+ +dd +W +512 +[0-9]+\.[0-9]{3} written$'
example "$read_write" fileslower 60000
has 0 ' dd '
example "$read_write" inodewatch $(stat -c '%Hd %Ld %i' known_file)
has 30 '^[0-9]+ +dd +vfs_read +1000$'
[ "$(wc -l <out)" = 31 ] || fail "other files' reads"
