# SPDX-License-Identifier: GPL-2.0-or-later
# A program that changes probed code, copies it, and moves the copy (mremap) runs as by itself: a breakpoint hides the first byte alone. So does
# one that jumps to code with something else on the stack than an address to return to.
. "$SUITE/lib.sh"
prog=$PROGS/changes_code
"$prog" >native || fail "status $?"
for ret in "" .return; do
	expect 0 "$SPILE" --engine=user -c "$prog" -e "global n
		probe process(\"$prog\").function(\"number\")$ret, process(\"$prog\").function(\"longer\")$ret { n[ppfunc()]++ }
		probe end { println(n[\"number\"], \" \", n[\"longer\"]) }"
	is "$(cat native)
5 5"
	says '^WARNING: code was not probed that a program has mapped by itself: '
done

cat >jumps.s <<'S'
	.data
value:	.long 7
	.text
	.globl outer, inner
	.type outer, @function
outer:
	leaq value(%rip), %rax
	pushq %rax
	jmp inner
	.size outer, . - outer
	.type inner, @function
inner:
	movq (%rsp), %rax
	movl (%rax), %eax
	addq $8, %rsp
	ret
	.size inner, . - inner
	.section .note.GNU-stack, "", @progbits
S
gcc -O1 -o jumps jumps.s -x c - <<<'int outer(void); int main(void) { return outer(); }' || fail "it is not made"
expect 1 "$SPILE" --engine=user -c ./jumps -e 'probe process("./jumps").function("inner").return { println("returns") }'
is ''
says '^WARNING: ./jumps exited with status: 7$'
says '^WARNING: 1 returns were lost: no breakpoint could be set where they go$'
