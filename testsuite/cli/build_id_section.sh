# SPDX-License-Identifier: GPL-2.0-or-later
# A build-id that sections alone lead to, as in the programs of Go's linker: it is the one that the program was compiled for, and known at the start.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "needs python3"
cat >t.c <<'C'
__attribute__((noipa)) int work(int n) { return n + 1; }
int main(int argc, char **argv) { return work(argc) + !argv != 2; }
C
gcc -g -O1 -Wl,--build-id -o t t.c || fail "gcc"
python3 - <<'P'
import struct
b = bytearray(open("t", "rb").read())
at, = struct.unpack_from("<Q", b, 32)
size, n = struct.unpack_from("<HH", b, 54)
for i in range(n):
    if struct.unpack_from("<I", b, at + i * size)[0] == 4: # PT_NOTE
        struct.pack_into("<I", b, at + i * size, 0)
open("t", "wb").write(b)
P
! readelf -lW t | grep -q '^  NOTE ' || fail "it has the segment"
expect 0 "$SPILE" --engine=user -c ./t -e 'probe process.function("work") { println($n) }'
is 1
sed -i 's/n + 1/n + 3 - 2 * n/' t.c && expect 0 "$SPILE" --engine=user -p4 -m kept -e 'probe process("./t").function("work") { println($n) }'
gcc -g -O1 -Wl,--build-id -o t t.c || fail "gcc"
expect 4 "$SPILE_RUN" --engine=user -c ./t kept.spo
says 'build-id'
