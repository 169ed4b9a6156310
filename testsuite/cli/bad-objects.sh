# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are no kernels and no programs, as -r PATH and as process("PATH"): one clear diagnostic, at once.
. "$SUITE/debug/lib"
program vmlinux kernel
: >empty
echo 'just text' >text
mkdir folder
mkfifo fifo
head -c $(($(stat -c %s vmlinux) / 2)) vmlinux >half
head -c 40 vmlinux >header
# So long, and of nothing.
truncate -s 600M hollow
dd if=vmlinux of=hollow bs=64 count=1 conv=notrunc status=none
truncate -s 600M zeros

refused() # FILE REASON
{
	expect 1 timeout 10 "$SPILE" -r "./$1" -p2 -e 'probe kernel.function("work") { exit() }'
	says "$1.* $2"
	[ "$(grep -c . err)" -le 4 ] || fail "several diagnostics"
	expect 1 timeout 10 "$SPILE" -p2 -e "probe process(\"./$1\").function(\"work\") { exit() }"
	says "^semantic error: .*$1.* $2.*\[E507\]"
	[ "$(grep -c . err)" -le 4 ] || fail "several diagnostics"
}
refused empty 'is empty'
refused text 'is not an ELF file'
refused folder 'is a directory'
refused fifo 'is not a regular file'
refused half 'is truncated'
refused header 'is truncated in its ELF header'
refused zeros 'is not an ELF file'
refused missing 'No such file or directory'

# Its section headers are zeros: no symbols, no debug information, nothing of that name.
expect 1 timeout 10 "$SPILE" -p2 -e 'probe process("./hollow").function("work") { exit() }'
says '^semantic error: nothing matches process\("\./hollow"\)\.function\("work"\) \[E401\]$'
says '^    note: looked for a function in .*/hollow, without DWARF: no debug information in .*/hollow;'
