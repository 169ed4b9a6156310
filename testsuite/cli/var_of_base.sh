# SPDX-License-Identifier: GPL-2.0-or-later
# In a method $x can be what its class has from one that it derives from, which counts before a global one; each instance of a template has its
# own. What is in an inline namespace is as if it was in the one around.
. "$SUITE/lib.sh"
command -v g++ >/dev/null || skip "needs g++"
cat >prog.cc <<'C'
#define NOINLINE __attribute__((noinline))
int kept = 9, sink;
struct Root { static int kept; int m = 1; };
int Root::kept = 4;
typedef Root Named;
struct Middle : Named { };
namespace deep { struct Leaf : Middle { NOINLINE void go(int k) { sink += k + kept + m; } }; }
namespace v { inline namespace v1 { int in = 5; } NOINLINE void read(int k) { sink += k + in; } }
int in = 6;
template <int N> struct Box { static int held; NOINLINE static void look(int k) { sink += k + held; } };
template <int N> int Box<N>::held = N;
int main() { v::read(1); deep::Leaf().go(1); Box<3>::look(1); Box<4>::look(1); }
C
cat >x.stp <<'S'
probe process("./prog").function("read") { println($in) }
probe process("./prog").function("go") { println($kept) }
probe process("./prog").function("look") { println($held) }
S
for compiler in g++ clang++; do
	command -v "$compiler" >/dev/null || continue
	expect 0 "$compiler" -std=c++11 -g -O0 -o prog prog.cc
	expect 0 "$SPILE" --engine=user -c ./prog x.stp
	is '5
4
3
4'
done
