# SPDX-License-Identifier: GPL-2.0-or-later
# A program that a tool has rewritten (patchelf) has its build-id, but perhaps its code elsewhere: what was compiled for the one is not for the other.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >prog.c <<'C'
__attribute__((noinline)) int own(int a) { __asm__(""); return a * 2; }
int main(void) { return own(3) != 6; }
C
id=-Wl,--build-id=0x$(printf %040x $$)
gcc -g -O1 $id -Wl,-z,separate-code -o original prog.c || fail gcc
gcc -g -O1 $id -Wl,-z,noseparate-code -o rewritten prog.c || fail gcc
strip -g -o stripped original
place() { readelf -lW $1 | awk '$1 == "LOAD" && / E / { print $2, $3 }'; }
[ "$(place original)" != "$(place rewritten)" ] || skip "this linker puts code to one place alone"
cp original prog
expect 0 "$SPILE" -p4 --engine=$ENGINE -o x.spo -e 'probe process("./prog").function("own") { println("own ", $a) }'
for file in original stripped; do
	cp $file new && mv new prog
	expect 0 timeout 60 "$SPILE_RUN" --engine=$ENGINE x.spo -c ./prog
	is "own 3"
done
cp rewritten new && mv new prog
expect 4 timeout 60 "$SPILE_RUN" --engine=$ENGINE x.spo -c ./prog
says "^ERROR: $PWD/prog was rewritten: it has the build-id that the script was compiled for, but its code is elsewhere; compile it again\$"
is ""
expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c ./prog -e 'probe process("./prog").function("own") { println("own ", $a) }'
is "own 3"
quiet

# A file without sections, as sstrip leaves it: its build-id is in a segment.
printf '\0\0\0\0\0\0\0\0' | dd of=prog bs=1 seek=40 conv=notrunc status=none # e_shoff
printf '\0\0\0\0' | dd of=prog bs=1 seek=60 conv=notrunc status=none # e_shnum, e_shstrndx
readelf -SW prog 2>&1 | grep -q 'no sections' || fail "it has sections"
expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c ./prog -e 'probe process("./prog").begin { println("begun") }'
is begun
