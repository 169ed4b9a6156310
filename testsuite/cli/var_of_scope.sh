# SPDX-License-Identifier: GPL-2.0-or-later
# $x is that of the innermost namespace, class, function or block around the code; @var("x") that of none, @var("A::x") that of A.
. "$SUITE/lib.sh"
cat >prog.c <<'C'
static int gone = 4;
int x = 7, sink;
extern int far[];
int f(int x)
{
	sink += x;
	{
		extern int x, far[];
		sink += x + far[1] + gone;
	}
	return sink;
}
int main(void) { return !f(1); }
C
echo 'int gone = 9, far[2] = { 5, 6 };' >far.c
cat >f.stp <<'S'
probe process("./prog").statement("*@prog.c:6") { println("outer ", $x) }
probe process("./prog").statement("*@prog.c:9") { println("inner ", $x, " ", $far[1]) }
S
expect 0 gcc -g -O0 -o prog prog.c far.c
expect 0 "$SPILE" --engine=user -c ./prog f.stp
is 'outer 1
inner 7 6'
expect 0 gcc -g -O1 -o prog prog.c far.c
expect 0 "$SPILE" --engine=user -c ./prog -e 'probe process("./prog").function("main") { println(@defined($gone) ? $gone : 4) }'
is 4
command -v g++ >/dev/null || exit 0
cat >scopes.cc <<'C'
int sink;
#define NOIPA __attribute__((noipa))
namespace A { int x = 1, only = 10; static volatile int s = 11; NOIPA void in_a(int q) { sink += q + x + s; } }
namespace B {
int x = 2;
static volatile int s = 12;
NOIPA void in_b(int q) { sink += q + x + s; }
namespace C { NOIPA void in_c(int q) { sink += q + x + s; } }
namespace { volatile int x3 = 33; NOIPA void in_none(int q) { sink += q + x3; } }
}
namespace D { extern int x; NOIPA void in_d(int q) { sink += q + x; } }
int x = 3;
static volatile int s = 13;
using namespace A;
NOIPA void in_top(int q) { sink += q + ::x + ::s + only; }
struct S {
	static int x, t;
	NOIPA void in_s(int q) { sink += q + x + ::s + t; }
};
int S::x = 4, S::t = 44;
struct T {
	static int t;
	NOIPA void in_t(int q) { sink += q + t; }
};
int T::t = 55;
int main() { A::in_a(1); B::in_b(1); B::C::in_c(1); B::in_none(1); D::in_d(1); in_top(1); S().in_s(1); T().in_t(1); }
C
echo 'namespace D { int x = 6; }' >d.cc
cat >scopes.stp <<'S'
probe process("./scopes").function("in_a") { println("a ", $x, " ", $s) }
probe process("./scopes").function("in_b") { println("b ", $x, " ", $s) }
probe process("./scopes").function("in_c") { println("c ", $x, " ", $s) }
probe process("./scopes").function("in_none") { println("none ", $x3) }
probe process("./scopes").function("in_d") { println("d ", $x) }
probe process("./scopes").function("in_s") { println("s ", $x, " ", $s, " ", $t) }
probe process("./scopes").function("in_t") { println("t ", $t) }
probe process("./scopes").function("in_top")
{
	println("top ", $x, " ", $s, " ", $only)
	println(@var("x"), " ", @var("::x"), " ", @var("A::x"), " ", @var("B::x"), " ", @var("S::x"), " ", @var("B::s@scopes.cc"), " ",
		@defined(@var("C::x")))
}
S
for compiler in g++ clang++ clang++-19; do
	command -v "$compiler" >/dev/null || continue
	for flags in -O0 -O1 '-O1 -gdwarf-4' '-O1 -fdebug-types-section'; do
		[ "$compiler" = g++ ] || flags=${flags/-O1/-O0}
		expect 0 "$compiler" -g $flags -Wno-unknown-attributes -o scopes scopes.cc d.cc
		expect 0 "$SPILE" --engine=user -c ./scopes scopes.stp
		is 'a 1 11
b 2 12
c 2 12
none 33
d 6
top 3 13 10
3 3 1 2 4 12 0
s 4 13 44
t 55'
	done
done
command -v rustc >/dev/null || exit 0
cat >modules.rs <<'R'
mod a { pub static mut X: i32 = 1; #[inline(never)] pub fn fa(q: i32) -> i32 { static mut N: i32 = 70; unsafe { N += 1; X += q + N; X } } }
mod b { pub static mut X: i32 = 10; #[inline(never)] pub fn fb(q: i32) -> i32 { static mut N: i32 = 80; unsafe { N += 1; X += q + N; X } } }
fn main() { std::process::exit((a::fa(0) + b::fb(0) == 0) as i32); }
R
expect 0 rustc -g -C codegen-units=1 -o modules modules.rs
expect 0 "$SPILE" --engine=user -c ./modules -e '
probe process("./modules").function("modules::a::fa") { println($X, " ", $N) }
probe process("./modules").function("modules::b::fb") { println($X, " ", $N) }'
is '1 70
10 80'
