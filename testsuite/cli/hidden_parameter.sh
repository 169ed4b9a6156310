# SPDX-License-Identifier: GPL-2.0-or-later
# Where a function begins $x is its parameter, although the first instruction is one of a block that has an x of its own.
. "$SUITE/lib.sh"
cat >prog.c <<'C'
volatile int five = 5;
int sink;
__attribute__((noinline)) void take(int a) { sink += a; }
__attribute__((noinline)) int reads(int x, int k)
{
	{
		int x = five;
		take(x);
		sink = x; // line 9
	}
	return x + k;
}
__attribute__((noinline)) int constant(int x)
{
	{
		const int x = 9;
		take(x);
	}
	return x;
}
int main(int argc, char **argv) { return reads(argc, 2) + constant(argc + 5) == 0; }
C
cat >x.stp <<'S'
probe process("./prog").function("reads") { println($x, " ", $k, " ", $$parms) }
probe process("./prog").statement("*@prog.c:9") { println("inner ", $x) }
probe process("./prog").function("constant") { println($x, " ", $$parms) }
probe process("./prog").function("constant").return { println(@entry($x)) }
S
for compiler in gcc clang clang-19; do
	command -v "$compiler" >/dev/null || continue
	for flags in -O0 -O1; do
		expect 0 "$compiler" -g $flags -o prog prog.c
		expect 0 "$SPILE" --engine=user -c ./prog x.stp
		is '1 2 x=0x1 k=0x2
inner 5
6 x=0x6
6'
	done
done
