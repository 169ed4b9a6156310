# SPDX-License-Identifier: GPL-2.0-or-later
# Examples that look at the cache of files: what they tell of 40 pages of a file on an ext4 in memory.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_disk
$write

# 40 pages are in no cache, and are read; then they are.
sync
echo 3 >/proc/sys/vm/drop_caches
example "$read" cachestat
number 'NR > 1 { a += $2; m += $3 } END { print (a >= 40 && m >= 40) }'
example "$read; $read" cachestat
number 'NR > 1 { a += $2 } END { print (a >= 80) }'
rm known_file; sync
# A shell that becomes a program is one process, under that one's name. Other cases run dd, too.
ln -s "$(command -v dd)" known_dd
example "bash -c 'echo 1 >known_line; exec ./known_$write'" cachetop
number '$2 == "known_dd" { print ($4 >= 40 && $5 >= 41) }'
number '{ n += seen[$1]++ } END { print (n == 0) }'
sync
echo 3 >/proc/sys/vm/drop_caches
example "$read" readahead
number 'NR == 2 { print ($1 >= 40 && $2 >= 30 && $3 == $1 - $2) }'
example "dd if=/dev/zero of=known_file bs=4096 count=40 status=none; sync -f known_file" writeback
number "\$2 ~ /^7:/ && \$4 == \"sync\" && \$5 > 0 { n++ } END { print (n >= 1) }"
