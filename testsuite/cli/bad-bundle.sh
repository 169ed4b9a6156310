# SPDX-License-Identifier: GPL-2.0-or-later
# A .spo that is cut short, overwritten, of a newer version or for another machine: one line, status 4 or 1, no crash.
. "$SUITE/lib.sh"
"$SPILE" -p4 -o good.spo -e 'global a probe begin { a[1] = 2 println("ran") exit() } probe end { foreach (k in a) println(k) }' ||
	fail "-p4"
size=$(stat -c %s good.spo)

refused() # FILE REGEX
{
	"$SPILE_RUN" "$1" >out 2>err
	status=$?
	case $status in 1 | 4) ;; *) fail "$1: exit status $status" ;; esac
	[ ! -s out ] || fail "$1: ran"
	[ "$(grep -c . err)" = 1 ] || fail "$1: not one line"
	says "^ERROR: $1$2"
}

expect 1 "$SPILE_RUN" nosuch.spo
says '^ERROR: cannot open nosuch\.spo: No such file or directory$'
not_elf=': not a compiled script \(it is not an ELF file\)$'
: >empty.spo; refused empty.spo ' is empty$'
head -c 3 good.spo >three.spo; refused three.spo "$not_elf"
for part in 1 4 10 30 60 90 99; do
	head -c $((size * part / 100)) good.spo >cut.spo
	refused cut.spo ': not a valid compiled script: the file is truncated '
done
head -c 4096 /dev/zero >zeroes.spo; refused zeroes.spo "$not_elf"
cp "$SPILE_RUN" program.spo; refused program.spo ': not a compiled script \(an ELF file, but not a BPF object\)$'
echo 'probe begin { exit() }' >script.spo; refused script.spo "$not_elf"

# The header of the bundle begins with the magic (runtime/abi/bundle.h); a version follows.
magic=$(grep -abo 'SPIL' good.spo | head -n 1 | cut -d: -f1)
[ -n "$magic" ] || fail "no magic number in good.spo"
poke() { cp good.spo "$1"; printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }
poke magic.spo "$magic" 'X'; refused magic.spo ': not a valid compiled script: the magic number is wrong$'

# The kernel copies keys of the size that its own map has: another size of the script's array, 24 bytes of text in place of 32, would
# let it write behind the room for one.
"$SPILE" -p4 -o kernel.spo -e 'global a probe kernel.trace("sched:sched_switch") { a[execname() . "0123456789"]++ }' >/dev/null ||
	fail "-p4 of a kernel's map"
section() { readelf -SW kernel.spo | awk -v name="$1" '{ sub(/^ *\[ *[0-9]+\] /, "") } $1 == name { print $4 }'; }
maps=$((16#$(section .spile.maps))) fields=$((16#$(section .spile.fields)))
[ "$(od -An -tu4 -j $((maps + 12)) -N 4 kernel.spo | tr -d ' ')" = 32 ] || fail "the key is not of 32 bytes"
cp kernel.spo sizes.spo
for at in $((maps + 12)) $((fields + 8)); do printf '\030' | dd of=sizes.spo bs=1 seek=$at conv=notrunc 2>/dev/null; done
refused sizes.spo ": not a valid compiled script: \.spile\.maps\[0\]: the kernel's map has other sizes\$"
