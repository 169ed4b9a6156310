# SPDX-License-Identifier: GPL-2.0-or-later
# Without debug information a function with several names is called once a call: versions of a symbol, aliases, the constructors and
# destructors that C++ has two symbols of. The name that is kept is that of the default version, or one without underscores in front.
. "$SUITE/lib.sh"
cat >lib.c <<'C'
__asm__(".symver both, both@@LIB_2");
__asm__(".symver both_old, both@LIB_1");
int both(int x) { return x + 1; }
extern int both_old(int) __attribute__((alias("both")));
int plain(int x) { return x; }
extern int __plain(int) __attribute__((alias("plain")));
C
echo 'LIB_1 { global: both; plain; __plain; local: *; }; LIB_2 { global: both; } LIB_1;' >map
cat >main.c <<'C'
int both(int x);
int plain(int x);
int main(void) { return both(1) + both(2) + plain(3) != 8; }
C
gcc -O1 -fPIC -shared -Wl,--version-script=map -o libv.so lib.c || skip "no library with versions can be made here"
gcc -o main main.c ./libv.so || skip "no program can be made here"
engines="user $([ "$(id -u)" != 0 ] || echo kernel)"
calls() # NAME: how often it is called, by name
{
	for engine in $engines; do
		expect 0 timeout 60 "$SPILE" --engine=$engine -c ./main -e "global n
		probe process(\"$TMP/libv.so\").function(\"$1\") { n[ppfunc()]++ } probe end { foreach (f+ in n) print(f, \" \", n[f], \" \") }"
		is "$2"
	done
}
for version in @@LIB_2 ''; do
	calls both "both$version 2 "
	calls 'bot?' "both$version 2 "
	calls '*plain' 'plain 1 '
	calls __plain '__plain 1 '
	strip libv.so
done
command -v g++ >/dev/null || exit 0
cat >main.cc <<'C'
volatile int sink;
struct A { int v; A(int x); ~A(); };
__attribute__((noinline)) A::A(int x) : v(x) { sink = x; }
__attribute__((noinline)) A::~A() { sink = v; }
int main() { for (int i = 0; i < 3; i++) A a(i); }
C
g++ -O1 -o main main.cc || fail "g++"
for engine in $engines; do
	expect 0 timeout 60 "$SPILE" --engine=$engine -c ./main -e 'global made, gone, all
	probe process("./main").function("A::A") { made++ } probe process("./main").function("A::~A") { gone++ }
	probe process("./main").function("A::*") { all++ } probe end { println(made, " ", gone, " ", all) }'
	is "3 3 6"
done
