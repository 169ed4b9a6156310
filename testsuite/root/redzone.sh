# SPDX-License-Identifier: GPL-2.0-or-later
# From Linux 6.18 on the kernel makes a call of a nop of five bytes that is probed, which would destroy what a function keeps below its
# stack pointer. Such a place is not probed there; the first instruction of a function may be one.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "only on x86_64"
program=$PROGS/redzone
script() { echo "global n probe process(\"$program\").$1 { n++ } probe end { println(n) }"; }

expect 0 "$SPILE" --engine=kernel -c "$program" -e "$(script 'function("thrice")')"
quiet
is '0 wrong
1000'
if ! grep -qw arch_uprobe_optimize /proc/kallsyms; then
	expect 0 "$SPILE" --engine=kernel -c "$program" -e "$(script 'function("thrice+0x14")')"
	is '0 wrong
1000'
	exit 0
fi
expect 3 "$SPILE" --engine=kernel -c "$program" -e "$(script 'function("thrice+0x14")')"
says '^ERROR: cannot attach probe .*: the instruction at offset 0x[0-9a-f]+ of .*/redzone is a nop of 5 bytes: this kernel would put a call there, over the red zone; probe another instruction, or use --engine=user$'
# Of several places the others are probed.
expect 0 "$SPILE" --engine=kernel -c "$program" -e "$(script 'function("thrice+0x14") ?, process("'"$program"'").function("thrice+0xf")')"
is '0 wrong
1000'
