# SPDX-License-Identifier: GPL-2.0-or-later
# Link-time optimisation, and copies of functions that the compiler names f.constprop.0 and the like: a function's own name, a
# pattern, --funcs and --lines find the same.
. "$SUITE/lib.sh"
cat >one.c <<'C'
#include <stdio.h>
int other(int a, int b), entry(int a);
__attribute__((noinline)) static int helper(int a, int b) { __asm__ volatile(""); printf("one %d\n", a); return a * 3; }
int main(int argc, char **argv)
{
	int s = argc;

	for (int i = 0; i < 2; i++)
		s += helper(i, 5) + other(i, 7) + entry(i);
	return s == 0;
}
C
cat >two.c <<'C'
#include <stdio.h>
struct pair { int x, y, z; };
int count;
__attribute__((noinline)) static int helper(int a, int b) { __asm__ volatile(""); printf("two %d\n", a); return a * 4; }
__attribute__((noinline)) static int first(struct pair *p, int unused) { __asm__ volatile("" : : "r"(p)); return p->x + p->y; }
__attribute__((noinline)) int other(int a, int b)
{
	__asm__ volatile("");
	if (__builtin_expect(a > 100, 0)) {
		printf("big\n");
		__builtin_abort();
	}
	return a + b;
}
int entry(int a) { struct pair p = { a, 2, 3 }; return helper(a, 6) + first(&p, count) + other(a, 7); }
C
# agree FILE: each name alone finds what the pattern `*` finds with that name.
agree()
{
	expect 0 "$SPILE" -l "process(\"./$1\").function(\"*\")"
	cp out all
	sed -E 's/.*function\("([^"@]*).*/\1/; s/\.(constprop|isra)\..*//' all | grep -vE '_(init|fini|start)$|_clones$|^__|_dummy$' |
		sort -u >names
	[ "$(wc -l <names)" -ge 4 ] || fail "only $(wc -l <names) functions"
	while read -r name; do
		expect 0 "$SPILE" -l "process(\"./$1\").function(\"$name\")"
		grep -E "function\\(\"$name(\.(constprop|isra)\.[0-9]+)*[@\"]" all | diff - out >difference || fail "$1: $name: $(cat difference)"
	done <names
	expect 0 "$SPILE" --funcs '*' --in ./$1
	"$SPILE" -l "process(\"./$1\").function(\"*\").call" | sed -E 's/.*function\("([^"@]*).*/\1/' | sort -u | diff out - >difference ||
		fail "$1: --funcs: $(cat difference)"
}
for flags in -O2 '-O2 -flto=auto -gdwarf-4' '-O3 -flto=auto -flto-partition=max'; do
	gcc -g $flags -o prog one.c two.c || fail "gcc $flags"
	agree prog
	expect 0 "$SPILE" -l 'process("./prog").function("helper")'
	is "process(\"$TMP/prog\").function(\"helper@$TMP/one.c:3\")
process(\"$TMP/prog\").function(\"helper@$TMP/two.c:4\")"
	expect 0 "$SPILE" --lines other --in ./prog
	prints "^other@$TMP/two.c:6$"
	expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -o got -e 'probe process.function("helper") { println(pp(), " ", $a) }
probe process.function("other") { println($a) } probe process.function("first") { println($p->x) }'
	sed -E 's/.*prog"\)//; s/@.*:/@/' got | sort >values
	printf '%s\n' '.function("helper@3") 0' '.function("helper@3") 1' '.function("helper@4") 0' '.function("helper@4") 1' 0 0 0 1 1 1 |
		sort | diff values - || fail "values with $flags"
done
# Where variables are is told in units of the linker's, which name neither them nor their files.
cat >main.c <<'C'
static volatile int kept = 1;
volatile int shared[3] = { 10, 20, 30 };
int second(int a);
int main(int argc, char **argv) { return kept + shared[argc] + second(argc) == 0; }
C
cat >second.c <<'C'
static volatile int kept = 2;
__attribute__((noipa)) int second(int a) { return a + kept; }
C
for flags in -O2 '-O2 -flto=auto -gdwarf-4' '-O3 -flto=auto -flto-partition=max'; do
	gcc -g $flags -o data main.c second.c || fail "gcc $flags"
	expect 0 timeout 60 "$SPILE" --engine=user -c ./data -e 'probe process.function("second") {
		println(@var("kept@main.c"), " ", @var("kept@second.c"), " ", @var("shared")[2], " ", @var("shared@main.c")[1]) }'
	is '1 2 30 20'
done
# Without debug information the copies have the source's name, too; parts of a function ("other.cold") have not.
gcc -O2 -o prog one.c two.c
agree prog
copy=$(nm prog | grep -oE 'first\.(constprop|isra)\.0$') || skip "this compiler makes no copies"
expect 0 "$SPILE" -l 'process("./prog").function("first")'
is "process(\"$TMP/prog\").function(\"$copy\")"
expect 0 "$SPILE" -l 'process("./prog").function("firs?")'
is "process(\"$TMP/prog\").function(\"$copy\")"
expect 0 "$SPILE" -l 'process("./prog").function("other")'
is "process(\"$TMP/prog\").function(\"other\")"
# A static function that has another one's name, in a unit without debug information.
gcc -O2 -c two.c && gcc -g -O2 -o prog one.c two.o
agree prog
expect 0 "$SPILE" -l 'process("./prog").function("helper")'
[ "$(wc -l <out)" = 2 ] || fail "not both functions"
