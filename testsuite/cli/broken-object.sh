# SPDX-License-Identifier: GPL-2.0-or-later
# A section that is relocated lies where the section headers are: what was checked of them would change.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
echo 'int f(int n) { return n; }' >x.c
gcc -g -c x.c || skip "gcc makes no object"
python3 - <<'P'
import struct
data = bytearray(open("x.o", "rb").read())
headers, = struct.unpack_from("<Q", data, 40)
n, strings = struct.unpack_from("<HH", data, 60)
names, = struct.unpack_from("<Q", data, headers + 64 * strings + 24)
for i in range(n):
    name, = struct.unpack_from("<I", data, headers + 64 * i)
    if data[names + name:].startswith(b".debug_line\0"):
        struct.pack_into("<Q", data, headers + 64 * i + 24, headers)
open("x.o", "wb").write(data)
P
expect 1 "$SPILE" --no-cache -l "process(\"$PWD/x.o\").function(\"f\")"
says '^semantic error: .*/x\.o: broken ELF file: section [0-9]+ lies where the headers are \[E507\]$'
