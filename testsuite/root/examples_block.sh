# SPDX-License-Identifier: GPL-2.0-or-later
# examples/block: what the scripts tell of a disk in memory that dd reads and writes.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
known_python py_block
command -v losetup >/dev/null || skip "there is no losetup"
dd if=/dev/zero of=image bs=1M count=8 status=none
loop=$(losetup --find --show "$PWD/image" 2>err) || skip "no loop device: $(cat err)"
trap 'losetup -d $loop' EXIT
disk=${loop#/dev/}

# Twelve reads of 64 kB one after the other, four writes of 4 kB here and there.
cat >io.sh <<S
dd if=$loop of=/dev/null bs=64k count=12 iflag=direct status=none
for at in 10 900 200 700; do dd if=/dev/zero of=$loop bs=4k count=1 seek=\$at oflag=direct status=none; done
S
known="sh io.sh"
example "$known" biosnoop -d "$disk"
has 12 "^ +[0-9]+  [0-9]+ +dd +$disk +R +[0-9]+ +65536 +0 +[0-9]+\$"
has 1 "^ +[0-9]+  [0-9]+ +dd +$disk +R +1408 +65536 +0 +[0-9]+\$"
has 4 "^ +[0-9]+  [0-9]+ +dd +$disk +W +[0-9]+ +4096 +0 +[0-9]+\$"
has 1 "^ +[0-9]+  [0-9]+ +dd +$disk +W +7200 +4096 +0 +[0-9]+\$"
[ "$(wc -l <out)" = 17 ] || fail "$(wc -l <out) lines"
example "$known" biosnoop -d nosuch
[ "$(wc -l <out)" = 1 ] || fail "another disk's"
example "$known" biolatency -d "$disk"
number "NR == 1 { print (\$1 == \"$disk:\" && \$2 == 16 && \$4 > 0 && \$4 <= \$8) }"
[ "$(awk '/\|/ && NR > 2 { n += $NF } END { print n }' out)" = 16 ] || fail "wrong histogram"
example "$known" biotop
has 1 "^[0-9]+ +dd +R +$disk +12 +768 +[0-9]+\$"
has 4 "^[0-9]+ +dd +W +$disk +1 +4 +[0-9]+\$"
example "$known" bitesize
number '$1 == "dd:" { print ($2 >= 16 && $4 >= 12 * 65536 + 4 * 4096) }'
prints '^ 65536 \|@+ +1[2-9]$'
prints '^  4096 \|@+ +[4-9]$'
# The first read begins where nothing was before: at 0.
example "$known" biopattern
has 1 "^[0-9:]{8} $disk +25 +75 +16 +784\$"
example "$known" biostacks -n 30
prints ' (blkdev_direct_IO|__blkdev_direct_IO_simple|blkdev_read_iter)\+0x'
number '$1 == 12 && $2 >= 12 && $3 > 0 { n++ } END { print (n == 1) }'
example "$known" iodepth
prints "^$disk: [12] at most\$"
number "/^$disk/ { here = 1 } here && \$1 == 1 && \$2 ~ /\\|/ { print (\$NF >= 12 && \$NF <= 16); here = 0 }"

# The disk becomes smaller behind its own back: half of it cannot be read.
truncate -s 4M image
example "dd if=$loop of=/dev/null bs=4k skip=10 count=1 iflag=direct status=none; dd if=$loop of=/dev/null bs=4k skip=1500 count=3 iflag=direct status=none 2>/dev/null; true" bioerrors
grep -c EIO out >n
number "/ dd +$disk +R +12000 +4096 -5 \\(EIO\\)\$/ { n++ } END { print n }"
has 0 ' R +80 '

example "exec dd if=/dev/zero of=file bs=100k count=5 status=none" iotop
number '$2 == "dd" { print ($3 >= 500 && $3 < 520 && $4 == 500) }'
example "exec dd if=/dev/zero of=file bs=100k count=5 status=none" traceio
has 1 '^[0-9]+ +dd +50[0-9]K +500K$'

cat >submit.py <<'S'
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
context = ctypes.c_ulong(0)
assert libc.syscall(206, 16, ctypes.byref(context)) == 0 # io_setup
fd = os.open("file", os.O_RDONLY)
data = ctypes.create_string_buffer(4096)
blocks = [ctypes.create_string_buffer(struct.pack("<QIiHhIQQqQII", 0, 0, 0, 0, 0, fd, ctypes.addressof(data), 4096, 0, 0, 0, 0)) for i in range(8)]
pointers = (ctypes.c_void_p * 8)(*[ctypes.addressof(b) for b in blocks])
for i in range(5): assert libc.syscall(209, context, 8 if i else 3, pointers) == (8 if i else 3) # io_submit
S
if [ "$(uname -m)" = x86_64 ] && py_block submit.py 2>/dev/null; then
	example "exec py_block submit.py" io_submit
	has 1 '^[0-9]+ +py_block +io_submit +5 +35 +8$'
fi
