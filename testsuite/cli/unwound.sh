# SPDX-License-Identifier: GPL-2.0-or-later
# How returns are probed of functions that exceptions go through, of Go and of programs that switch stacks: where the functions end, when
# that can be told. cli/exits runs them.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is read"
cat >prog.cc <<'C'
#include <cstdio>
#include <stdexcept>
__attribute__((noinline)) static int thrower(int n) { if (n > 2) throw std::runtime_error("x"); return n; }
__attribute__((noinline)) static int middle(int n) { int r = thrower(n); asm volatile(""); return r + 1; }
__attribute__((noinline)) static int leaf(int n) { asm volatile(""); return n * 2; }
__attribute__((noinline)) static void never(int n) { for (;;) printf("%d\n", thrower(n)); }
int main(int argc, char **argv)
{
	if (argc > 1)
		never(1);
	for (int i = 1; i < 3; i++)
		try {
			printf("%d\n", middle(leaf(i)));
		} catch (std::exception &e) {
			printf("caught %d\n", i);
		}
}
C
g++ -g -O1 -o prog prog.cc || skip "no C++ compiler"
# is_probed HOOK OPTION... SCRIPT: the hooks of the script, each once.
is_probed()
{
	local hook=$1
	shift
	expect 0 "$SPILE" -v -p4 -o x.spo "$@"
	sed -n 's/^.*return: //p' err | sort -u >out
	is "$hook"
}
exits='one of the instructions that it returns at, as'
middle='probe process("./prog").function("middle").return { println($return) }'
is_probed "uprobe: $exits an exception may go through it" --engine=kernel -e "$middle"
is_probed 'breakpoint: the user engine' --engine=user -c ./prog -e "$middle"
is_probed 'uretprobe: a function of a program' --engine=kernel -e 'probe process("./prog").function("leaf").return { exit() }'
expect 0 "$SPILE" -l 'process("./prog").function("middle").return'
is "process(\"$TMP/prog\").function(\"middle@$TMP/prog.cc:4\").return"
strip -o bare -K main prog
is_probed "uprobe: $exits an exception may go through it" --engine=kernel -e 'probe process("./bare").function("main").return { exit() }'
g++ -g -O1 -fno-exceptions -c -o none.o -x c++ - <<<'int f(int); int g(int x) { return f(x) + 1; }' && echo 'int f(int x) { return x; } int main() { return f(1); }' | g++ -g -o none none.o -x c++ -
is_probed 'uretprobe: a function of a program' --engine=kernel -e 'probe process("./none").function("g").return { exit() }'
# C that exceptions pass through: not where it ends with a jump, as what it returns would not be known then.
gcc -g -O2 -fexceptions -c -o pass.o -x c - <<<'int f(int); int passes(int x) { return f(x) + 1; } int jumps(int x) { return f(x + 1); }' &&
	g++ -g -o pass pass.o -x c++ - <<<'extern "C" int f(int x) { return x; } int main() { }' || fail "cannot be made"
is_probed "uprobe: $exits an exception may go through it" --engine=kernel -e 'probe process("./pass").function("passes").return { println($return) }'
is_probed 'uretprobe: a function of a program' --engine=kernel -e 'probe process("./pass").function("jumps").return { println($return) }'
is_probed "uprobe: $exits the program switches stacks" --engine=kernel -e "probe process(\"$PROGS/rough\").function(\"pausing\").return { exit() }"
expect 0 "$SPILE" --kprobe-events 'process("./prog").function("middle").return $return'
prints "^p:spile/middle__return $TMP/prog:0x[0-9a-f]+ ret=%ax:s32\$"

# What never returns is missed in no pattern.
expect 1 "$SPILE" -p2 --engine=kernel -e 'probe process("./prog").function("never").return { exit() }'
says '^semantic error: never cannot be probed: it has no instruction that returns \[E408\]$'
expect 0 "$SPILE" -p2 --engine=kernel -e 'probe process("./prog").function("*e*").return { exit() }'
quiet
# Code that cannot be read, and a jump that may return or not.
cat >odd.s <<'A'
	.globl odd
	.type odd, @function
odd:	.byte 0x06
	ret
	.size odd, .-odd
	.globl jumps
	.type jumps, @function
jumps:	test %edi, %edi
	je odd
	ret
	.size jumps, .-jumps
A
echo 'extern "C" int odd(int), jumps(int); int main(int n, char **) { try { if (n > 5) throw 1; return n > 2 ? odd(n) + jumps(n) : 0; } catch (...) { return 1; } }' >odd.cc
g++ -c -O1 -o odd.o odd.cc && g++ -c -o odds.o odd.s && g++ -o odd odd.o odds.o || fail "cannot be made"
expect 1 "$SPILE" -p2 --engine=kernel -e 'probe process("./odd").function("odd").return { exit() }'
says '^semantic error: odd cannot be probed: an exception may go through it, and where it returns cannot be told: the instruction at 0x[0-9a-f]+ is not known \[E408\]$'
expect 1 "$SPILE" -p2 --engine=kernel -e 'probe process("./odd").function("jumps").return { exit() }'
says '^semantic error: jumps cannot be probed: an exception may go through it, and where it returns cannot be told: the jump with a condition at 0x[0-9a-f]+ leads out of it \[E408\]$'

# A unit that says its language is Go, of a version before 1.17.
echo 'int twice(int x) { return 2 * x; } int main(void) { return twice(0); }' | gcc -g -O1 -S -dA -o go.s -x c -
sed -i -E 's/^(\t\.[a-z0-9]+\t)0x[0-9a-f]+(.*DW_AT_language)/\10x16\2/' go.s
gcc -o go go.s
for engine in kernel user; do
	expect 1 "$SPILE" -p2 --engine=$engine -c ./go -e 'probe process("./go").function("twice").return { println($return) }'
	says '^semantic error: twice cannot be probed: Go moves its stacks, and where it returns cannot be told: code of Go before 1.17 has its goroutine in no register \[E408\]$'
	expect 0 "$SPILE" -p2 --engine=$engine -c ./go -e 'probe process("./go").function("twice") { println($x) }'
	quiet
done
# And one without debug information that has Go's table of functions, which is of Go 1.18 or later.
gcc -O1 -o stripped go.s && strip -g stripped && objcopy --add-section .gopclntab=go.s stripped
is_probed "uprobe: $exits Go moves its stacks" --engine=kernel -e 'probe process("./stripped").function("twice").return { exit() }'

# Calls of other files' functions have no end that could be probed: exceptions end the program, and what unwinds the stack is left out.
expect 0 "$SPILE" -p2 --engine=kernel -e 'probe process("./prog").plt("*").return { println(ppfunc()) }'
says '^WARNING: an exception from a function that is called so ends the program while its return is probed \[W408\]$'
expect 0 "$SPILE" -p2 --engine=user -c ./prog -e 'probe process("./prog").plt("*").return { println(ppfunc()) }'
quiet
expect 1 "$SPILE" -p2 --engine=kernel -e 'probe process("./prog").plt("__cxa_throw").return { exit() }'
says '^semantic error: __cxa_throw cannot be probed: it unwinds the stack, from its own return address on \[E408\]$'
expect 1 "$SPILE" --engine=kernel -p2 -e "probe process(\"$PROGS/rough\").plt(\"swapcontext\").return { exit() }"
says '^semantic error: swapcontext cannot be probed: it reads its return address, and where it returns cannot be told: where it ends is not known \[E408\]$'
