# SPDX-License-Identifier: GPL-2.0-or-later
# clang leaves out what a static function returns where no caller needs it, and tells that its convention is another: the register
# has what was there. Of a function whose convention is the usual one, or whose callers read the result, it is shown.
. "$SUITE/lib.sh"
clang=$(compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort -uV | tail -n 1)
[ "$clang" ] || skip "needs clang"
cat >left.c <<'C'
static __attribute__((noinline)) int always_five(int a) { __asm__ volatile("" : "+r"(a)); return 5; }
static __attribute__((noinline)) int twice(int a) { __asm__ volatile("" : "+r"(a)); return a * 2; }
static __attribute__((noinline)) int thrice(int a, int unused) { __asm__ volatile("" : "+r"(a)); return a * 3; }
static __attribute__((noinline)) double half(int a, int unused) { __asm__ volatile("" : "+r"(a)); return a / 2.0; }
struct pair { long a, b; };
static __attribute__((noinline)) struct pair pair(long a, int unused) { __asm__ volatile("" : "+r"(a)); return (struct pair){ a, a + 1 }; }
static __attribute__((noinline)) int handed_on(int a, int unused) { __asm__ volatile("" : "+r"(a)); return a * 7; }
__attribute__((noinline)) int hands_on(int a) { __asm__ volatile("" : "+r"(a)); return handed_on(a, 1); }
int main(int argc, char **argv)
{
	return always_five(argc) + twice(argc) + thrice(argc, 4) + half(argc, 3) + pair(argc, 1).b + hands_on(argc) != 19.5;
}
C
"$clang" -g -O2 -o left left.c
readelf --debug-dump=info left | grep -q nocall || skip "$clang does not tell which functions it has changed (LLVM 17 and later do)"
expect 1 "$SPILE" -p2 -e 'probe process("./left").function("always_five").return { println($return) }'
says '^semantic error: \$return of always_five is left out: no caller uses it \[E502\]$'
says '^    hint: returnval\(\) is what is in the register$'
# A parameter may be what has been changed, or the result.
for name in pair handed_on; do
	expect 1 "$SPILE" -p2 -e "probe process(\"./left\").function(\"$name\").return { println(\$return) }"
	says "^semantic error: \\\$return of $name is perhaps left out: the compiler has changed how the function is called, and does not tell in which way \[E502\]\$"
done
expect 0 "$SPILE" --engine=user -c ./left -e '
probe process("./left").function("always_five").return, process("./left").function("twice").return,
	process("./left").function("thrice").return, process("./left").function("half").return {
	println(ppfunc(), " ", $$return)
}'
is 'always_five return=?
twice return=0x2
thrice return=0x3
half return=0.5'
expect 0 "$SPILE" -L 'process("./left").function("always_five").return'
is "process(\"$PWD/left\").function(\"always_five@$PWD/left.c:1\").return \$a:int"
