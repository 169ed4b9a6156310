# SPDX-License-Identifier: GPL-2.0-or-later
# In a method $x can be what its class has from one that it derives from, which counts before a global one; each instance of a template has its
# own.
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
template <int N> struct Box { static int held; NOINLINE static void look(int k) { sink += k + held; } };
template <int N> int Box<N>::held = N;
int main() { deep::Leaf().go(1); Box<3>::look(1); Box<4>::look(1); }
C
cat >x.stp <<'S'
probe process("./prog").function("go") { println($kept) }
probe process("./prog").function("look") { println($held) }
S
for compiler in g++ clang++; do
	command -v "$compiler" >/dev/null || continue
	expect 0 "$compiler" -std=c++11 -g -O0 -o prog prog.cc
	expect 0 "$SPILE" --engine=user -c ./prog x.stp
	is '4
3
4'
done
