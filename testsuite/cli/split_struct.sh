# SPDX-License-Identifier: GPL-2.0-or-later
# A structure that is in memory in part, and in a register for the rest: what is behind its part in memory is another's.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "needs an x86_64"
cat >p.s <<'E'
	.section .note.GNU-stack,"",@progbits
	.text
	.cfi_sections .debug_frame
.Ltext:
	.globl main
	.type main, @function
main:
	.cfi_startproc
	sub $24, %rsp
	.cfi_def_cfa_offset 32
	movq $11, (%rsp)
	movq $99, 8(%rsp)
	mov $22, %ecx
	mov $33, %edx
	.globl place
place:
	nop
	add $24, %rsp
	.cfi_def_cfa_offset 8
	xor %eax, %eax
	ret
	.cfi_endproc
	.size main, .-main
.Ltext_end:
	.include "dwarf.inc"
	UNIT_BEGIN
	BASE long, "long int", 5, 8
	BASE int, int, 5, 4
pair:
	.uleb128 10
	.asciz "pair"
	.byte 16
	.uleb128 11
	.asciz "first"
	.long long - .Lunit
	.byte 0
	.uleb128 11
	.asciz "second"
	.long int - .Lunit
	.byte 8
	.uleb128 11
	.asciz "third"
	.long int - .Lunit
	.byte 12
	.byte 0
	FUNCTION main, main, .Ltext_end, 0x9c
	# DW_OP_breg7 (rsp) 0, DW_OP_piece 8, DW_OP_reg2 (rcx), DW_OP_piece 4, DW_OP_reg1 (rdx), DW_OP_piece 4
	DIE_AT 4, split, pair, 0x77, 0, 0x93, 8, 0x52, 0x93, 4, 0x51, 0x93, 4
	.byte 0
	UNIT_END
E
gcc -Wa,-I"$SUITE/debug/fixtures" -no-pie -o p p.s 2>err || fail "gcc"
for engine in user kernel; do
	expect 0 "$SPILE" --engine=$engine -c ./p -e 'probe process("./p").statement(0x'"$(nm p | sed -n 's/^0*\([0-9a-f]*\) . place$/\1/p')"') {
		println($split$) println($$locals$$) println($split->first, " ", $split->second, " ", $split->third) }'
	is '{.first=11, .second=22, .third=33}
split={.first=11, .second=22, .third=33}
11 22 33'
done
