# SPDX-License-Identifier: GPL-2.0-or-later
# Names of sections and symbols that lie outside of the tables of strings: what has no name is not the one that is looked for.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
cat >x.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int twice(int n) { return n + n; }
int main(int argc, char **argv) { printf("%d\n", twice(argc)); return argc > 5 ? abs(argc) : 0; }
C
gcc -g -O1 -o whole x.c || skip "gcc makes no program"
strip -g -o bare whole # libdw refuses what has debug information
python3 - <<'P'
import struct
class Program:
    def __init__(self, path):
        self.bytes = open(path, "rb").read()
        self.at, = struct.unpack_from("<Q", self.bytes, 40)
        n, strings = struct.unpack_from("<HH", self.bytes, 60)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, self.at + 64 * i) for i in range(n)]
        self.names = self.headers[strings][4]
    def sections(self, *names):
        return [self.at + 64 * i for i, header in enumerate(self.headers) if self.bytes[self.names + header[0]:].startswith(names)]
    def symbols(self, kind):
        return [place for header in self.headers if header[1] == kind for place in range(header[4], header[4] + header[5], 24)]
    def spoil(self, path, places):
        data = bytearray(self.bytes)
        for place in places:
            struct.pack_into("<I", data, place, 0x7fffff00)
        open(path, "wb").write(data)
bare, whole = Program("bare"), Program("whole")
bare.spoil("sections", bare.sections(b".text\0", b".data\0", b".comment\0"))
bare.spoil("bare-dynamic", bare.symbols(11)) # SHT_DYNSYM
whole.spoil("dynamic", whole.symbols(11))
whole.spoil("static", whole.symbols(2)[-8:]) # SHT_SYMTAB
P
for file in sections bare-dynamic dynamic static; do
	for point in 'function("twice")' 'function("twice").return' 'function("main").callee("twice")' 'statement("twice@x.c:3")' 'plt("*")' 'mark("*")'; do
		"$SPILE" --no-cache -p4 -o x.spo -e "probe process(\"$PWD/$file\").$point ? { println(pp()) } probe begin { exit() }" >out 2>err
		[ $? -le 1 ] || fail "$file: $point: $(tail -2 err)"
	done
done
for file in dynamic static; do
	expect 0 "$SPILE" --no-cache -p4 -o x.spo -e "probe process(\"$PWD/$file\").function(\"twice\") { println(\$n) }"
	expect 0 "$SPILE" --no-cache -p4 -o x.spo -e "probe process(\"$PWD/$file\").function(\"twice\").return { println(\$return) }"
done
