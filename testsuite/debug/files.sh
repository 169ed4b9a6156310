# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are no programs, and programs that are cut off.
. "$SUITE/debug/lib"
program shapes shapes-gcc-O2-dwarf5 twin

: >empty
echo '#!/bin/sh' >script
printf '#! /usr/bin/env -S python3 -u' >script-by-env
printf '#! ' >script-of-nothing
head -c 100000 /dev/urandom >noise
{ head -c 16 shapes; head -c 100000 /dev/urandom; } >noise-behind-magic
mkdir directory
cp shapes 32bit
printf '\001' | dd of=32bit bs=1 seek=4 conv=notrunc status=none
cp shapes big-endian
printf '\002' | dd of=big-endian bs=1 seek=5 conv=notrunc status=none
cp shapes sparc
printf '\053' | dd of=sparc bs=1 seek=18 conv=notrunc status=none
cp shapes stripped
strip stripped
cp shapes without-debug
strip -g without-debug

for f in missing empty script script-by-env script-of-nothing noise directory 32bit big-endian sparc stripped without-debug; do
	dump ./$f module
done
dump ./noise-behind-magic module | grep -q 'exit status 1' || fail "noise behind the magic number is taken for a program"
dump ./without-debug vars many
dump ./without-debug ret many
dump ./stripped funcs many
dump ./nowhere/at/all module
dump no-such-program-anywhere module
# Debug information may be compressed, or kept apart.
cp shapes compressed
objcopy --compress-debug-sections compressed
dump ./compressed --inlines funcs '[mu]*'
objcopy --only-keep-debug shapes shapes.debug
cp without-debug linked
objcopy --add-gnu-debuglink=shapes.debug linked
dump ./linked vars many
mkdir .debug
mv shapes.debug .debug
dump ./linked funcs many
cp linked .debug/shapes.debug
dump ./linked funcs many

# Cut anywhere: one error, at once.
size=$(stat -c %s shapes)
for ((n = 20; n < size; n += size / 60)); do
	head -c $n shapes >cut
	dump ./cut --inlines vars '*' >out
	grep -q 'exit status 1$' out || fail "cut to $n bytes"
	[ "$(grep -c '^error: ' out)" = 1 ] || fail "cut to $n bytes: not one error"
done
exit 0
