# SPDX-License-Identifier: GPL-2.0-or-later
# Returns that cannot be probed without an end of the program, or are missed: of Go, and where a C++ exception goes through.
. "$SUITE/lib.sh"
cat >prog.cc <<'C'
#include <cstdio>
#include <stdexcept>
__attribute__((noinline)) static int thrower(int n) { if (n > 2) throw std::runtime_error("x"); return n; }
__attribute__((noinline)) static int middle(int n) { int r = thrower(n); asm volatile(""); return r + 1; }
__attribute__((noinline)) static int leaf(int n) { asm volatile(""); return n * 2; }
int main()
{
	for (int i = 1; i < 3; i++)
		try {
			printf("%d\n", middle(leaf(i)));
		} catch (std::exception &e) {
			printf("caught %d\n", i);
		}
}
C
g++ -g -O1 -o prog prog.cc || skip "no C++ compiler"
p2() { expect "$1" "$SPILE" -p2 "${@:2}"; }
p2 0 --engine=kernel -e 'probe process("./prog").function("middle").return { println($return) }'
says '^WARNING: an exception that goes through middle ends the program while its return is probed \[W408\]$'
p2 0 --engine=kernel -e 'probe process("./prog").function("*e*").return { exit() }'
says '^WARNING: an exception that goes through [a-z]* or [1-9] others ends the program while their returns are probed \[W408\]$'
for quietly in 'function("leaf").return' 'function("middle")' 'function("middle").return' ; do
	engine=kernel
	[ "$quietly" != 'function("middle").return' ] || engine=user
	p2 0 --engine=$engine -c ./prog -e "probe process(\"./prog\").$quietly { exit() }"
	quiet
done
expect 0 "$SPILE" -l 'process("./prog").function("middle").return'
quiet
expect 0 timeout 60 "$SPILE" --engine=user -o events -c ./prog -e 'probe process.function("thrower").return, process.function("leaf").return { println(ppfunc(), $return) }'
quiet
is '3
caught 2'
mv events out
is 'leaf2
thrower2
leaf4'
g++ -g -O1 -fno-exceptions -c -o none.o -x c++ - <<<'int f(int); int g(int x) { return f(x) + 1; }' && echo 'int f(int x) { return x; } int main() { return f(1); }' | g++ -g -o none none.o -x c++ -
p2 0 --engine=kernel -e 'probe process("./none").function("g").return { exit() }'
quiet
# A unit that says its language is Go.
echo 'int twice(int x) { return 2 * x; } int main(void) { return twice(0); }' | gcc -g -O1 -S -dA -o go.s -x c -
sed -i -E 's/^(\t\.[a-z0-9]+\t)0x[0-9a-f]+(.*DW_AT_language)/\10x16\2/' go.s
gcc -o go go.s
p2 1 --engine=kernel -e 'probe process("./go").function("twice").return { println($return) }'
says '^semantic error: twice is a Go function: a probe of its return would end the program \[E410\]$'
p2 1 --engine=user -c ./go -e 'probe process("./go").function("twice").return { println($return) }'
says '^semantic error: twice is a Go function: its returns are missed when its stack has been moved \[E410\]$'
p2 0 --engine=kernel -e 'probe process("./go").function("twice") { println($x) }'
quiet
# And one without debug information that has Go's table of functions.
gcc -O1 -o stripped go.s && strip -g stripped && objcopy --add-section .gopclntab=go.s stripped
p2 1 --engine=kernel -e 'probe process("./stripped").function("twice").return { exit() }'
says '\[E410\]$'
