# SPDX-License-Identifier: GPL-2.0-or-later
# A program that UPX has compressed: breakpoints in its file would damage it.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "an ELF file of 64 bits is changed by hand"
cp "$PROGS/once" packed && chmod u+w packed
n=$(od -An -tu2 -j56 -N2 packed)
put() { printf "$2" | dd of=packed bs=1 seek="$1" conv=notrunc status=none; }
put 40 '\0\0\0\0\0\0\0\0' # no section headers
put 58 '\0\0\0\0\0\0'
put $((64 + 56 * n + 4)) 'UPX!'
for point in 'function("tick")' 'statement(0x1000).absolute' 'mark("*")'; do
	expect 1 "$SPILE" -p2 -e "probe process(\"./packed\").$point { println(1) }"
	says "^semantic error: .*/packed is compressed by UPX: its code is not in the file, but only in memory while it runs; 'upx -d' restores "
done
put $((64 + 56 * n + 4)) 'ELF!'
expect 1 "$SPILE" -p2 -e 'probe process("./packed").function("tick") { println(1) }'
says '^semantic error: nothing matches '
