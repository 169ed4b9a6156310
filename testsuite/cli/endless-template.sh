# SPDX-License-Identifier: GPL-2.0-or-later
# A type that is its own argument thirty times, as broken DWARF can have: its name ends.
. "$SUITE/lib.sh"
compgen -c gcc | grep -qx gcc || skip "needs gcc"
cat >self.s <<'S'
	.section .debug_abbrev,"",@progbits
	.byte 1,0x11,1, 0x13,0x0b, 0x03,0x08, 0x11,1, 0x12,0x07, 0,0	# cu: language, name, low, high
	.byte 2,0x13,1, 0x03,0x08, 0x0b,0x0b, 0,0	# struct name size
	.byte 3,0x2f,0, 0x03,0x08, 0x49,0x13, 0,0	# template type param
	.byte 4,0x2e,1, 0x03,0x08, 0x11,1, 0x12,0x07, 0,0	# subprogram
	.byte 5,0x05,0, 0x03,0x08, 0x49,0x13, 0x02,0x18, 0,0	# param
	.byte 6,0x0f,0, 0x0b,0x0b, 0x49,0x13, 0,0	# pointer
	.byte 7,0x13,0, 0x03,0x08, 0x3c,0x19, 0,0
	.byte 0
	.section .debug_info,"",@progbits
cu:	.long end-1f
1:	.short 4
	.long 0
	.byte 8
	.byte 1
	.byte 0x1a
	.asciz "a.cc"
	.quad f
	.quad fe-f
t:	.byte 2
	.asciz "Self"
	.byte 8
	.rept 30
	.byte 3
	.asciz "T"
	.long p-cu
	.endr
	.byte 0
p:	.byte 6
	.byte 8
	.long t-cu
	.byte 4
	.asciz "func"
	.quad f
	.quad fe-f
	.byte 5
	.asciz "arg"
	.long p-cu
	.byte 1,0x55
	.byte 0
	.byte 0
end:
	.text
	.globl main
main:
f:	xor %eax,%eax
	ret
fe:
	.section .note.GNU-stack,"",@progbits
S
gcc -nostartfiles -Wl,-e,main -o self self.s || skip "needs an assembler of x86-64"
expect 0 timeout 20 "$SPILE" -L 'process("./self").function("func")'
prints '^process\(".*/self"\)\.function\("func"\) \$arg:struct Self<Self<Self<'
[ "$(wc -c <out)" -lt 100000 ] || fail "$(wc -c <out) bytes"
