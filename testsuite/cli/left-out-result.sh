# SPDX-License-Identifier: GPL-2.0-or-later
# clang leaves out what a static function returns where no caller needs it, and tells that its convention is another: the register
# has what was there. Of a function whose convention is the usual one the result is shown.
. "$SUITE/lib.sh"
clang=$(compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort -uV | tail -n 1)
[ "$clang" ] || skip "needs clang"
cat >left.c <<'C'
static __attribute__((noinline)) int always_five(int a) { __asm__ volatile("" : "+r"(a)); return 5; }
static __attribute__((noinline)) int twice(int a) { __asm__ volatile("" : "+r"(a)); return a * 2; }
static __attribute__((noinline)) int thrice(int a, int unused) { __asm__ volatile("" : "+r"(a)); return a * 3; }
int main(int argc, char **argv) { return always_five(argc) + twice(argc) + thrice(argc, 4) != 10; }
C
"$clang" -g -O2 -o left left.c
readelf --debug-dump=info left | grep -q nocall || skip "$clang does not tell which functions it has changed (LLVM 17 and later do)"
expect 1 "$SPILE" -p2 -e 'probe process("./left").function("always_five").return { println($return) }'
says '^semantic error: \$return of always_five is left out: no caller uses it \[E502\]$'
says '^    hint: returnval\(\) is what is in the register$'
# A parameter may be what has been changed, or the result.
expect 1 "$SPILE" -p2 -e 'probe process("./left").function("thrice").return { println($return) }'
says '^semantic error: \$return of thrice is perhaps left out: the compiler has changed how the function is called, and does not tell in which way \[E502\]$'
expect 0 "$SPILE" --engine=user -c ./left -e '
probe process("./left").function("always_five").return, process("./left").function("twice").return {
	println(ppfunc(), " ", @defined($return) ? sprint($return) : "unknown")
}'
is 'always_five unknown
twice 2'
expect 0 "$SPILE" -L 'process("./left").function("always_five").return'
is "process(\"$PWD/left\").function(\"always_five@$PWD/left.c:1\").return \$a:int"
