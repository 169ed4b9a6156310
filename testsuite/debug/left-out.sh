# SPDX-License-Identifier: GPL-2.0-or-later
# A large C program with a small unit of another language, as kernels have Rust: the index of names leaves the unit out, and what it
# defines is found all the same.
. "$SUITE/lib.sh"
{
	for i in $(seq 800); do
		echo "struct s$i { int a, b, c; long d$i; }; struct s$i v$i; int of_c_$i(struct s$i *p) { return p->a + p->b * v$i.c; }"
	done
	echo 'int of_cxx_name(int); int main(int argc, char **argv) { (void)argv; v7.d7 = 7; return of_c_1(&v1) + of_cxx_name(argc) == 0; }'
} >c.c
cat >x.cc <<'EOF'
namespace inner {
struct only_here { int member; };
int counter = 7;
__attribute__((noinline)) int of_c_too(only_here *p) { return p->member + counter; }
}
inner::only_here global;
extern "C" int of_cxx_name(int n) { global.member = n; return inner::of_c_too(&global); }
EOF
gcc -g -O1 -c c.c && g++ -g -O1 -c x.cc && gcc -o prog c.o x.o -Wl,--build-id || fail "gcc"
export XDG_CACHE_HOME=$PWD/cache
mkdir cache
for round in made saved; do
	expect 0 "$SPILE" -l 'process("./prog").function("of_c*")'
	[ "$(wc -l <out)" = 802 ] || fail "$round: $(wc -l <out) functions"
	prints '^process\(".*/prog"\)\.function\("inner::of_c_too@.*/x\.cc:4"\)$'
	[ "$(ls cache/spile/*.names 2>/dev/null | wc -l)" = 1 ] || fail "$round: no index"
	rm cache/spile/*.list
done
for name in of_c_too inner::of_c_too; do
	expect 0 "$SPILE" -L "process(\"./prog\").function(\"$name\")"
	is "process(\"$PWD/prog\").function(\"inner::of_c_too@$PWD/x.cc:4\") \$p:struct only_here*"
done
expect 0 "$SPILE" -c ./prog -e 'probe process("./prog").function("of_c_too")
{ println(@cast(&@var("global"), "only_here")->member, @cast(&@var("v7"), "s7")->d7) }'
is 17
