# SPDX-License-Identifier: GPL-2.0-or-later
# Pointers to members of C++: to data they are offsets that have the names of the members, to functions a pair.
. "$SUITE/lib.sh"
cat >prog.cc <<'C'
struct base { int b0, b1; };
namespace ns { struct out { int a; union { int u; char c; }; int bits : 3; }; }
struct A : base { int x, y; int get(int v) { return x + v; } };
typedef int A::*member;
struct holder { int A::*p; int ns::out::*q; int (A::*f)(int); };
__attribute__((noipa)) int take(int A::*p, member m, int ns::out::*q, int A::*none, int (A::*f)(int), const holder &h, int A::*odd)
{
	A a = A();
	return a.*p + (a.*f)(1) + (m == none) + (q == h.q) + (odd == p);
}
__attribute__((noipa)) int A::*give(int n) { return n ? &A::y : &A::x; }
typedef int (A::*method)(int);
__attribute__((noipa)) method find() { return &A::get; }
int main()
{
	holder h = { &A::x, &ns::out::a, &A::get };
	union { long l; int A::*p; } odd = { 3 };
	int A::*p = give(1);
	method f = find();
	return take(p, &A::b1, &ns::out::u, 0, f, h, odd.p) == 0;
}
C
for flags in '-O0' '-O2' '-O2 -gdwarf-4 -fdebug-types-section'; do
	# shellcheck disable=SC2086
	g++ -g $flags -o prog prog.cc || skip "no C++ compiler"
	expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e 'probe process.function("take") {
	printf("%d %s %s %s %s %s\n", $p, $p$, $m$, $q$, $none$, $odd$)
	s = $m$ . " " . $h$
	printf("%s %s %s\n", s, $h->p$, usymname($h->f->ptr))
	println($f$ == sprintf("{.ptr=%p, .adj=0}", $f->ptr)) }
probe process.function("give").return { printf("%d %s\n", $return, $return$) }
probe process.function("find").return { printf("%s %d\n", usymname($return->ptr), $return->adj) }'
	is "12 &A::y
A::get 0
12 &A::y &base::b1 &out::u NULL 3
&base::b1 {.p=&A::x, .q=&out::a, .f={...}} &A::x A::get
1"
	expect 0 "$SPILE" -L 'process("./prog").function("take")'
	prints '^process\(.*\)\.function\("take@.*"\) \$p:int A::\* \$m:member \$q:int out::\* \$none:int A::\* \$f:int \(A::\*\) \(struct A\*(?: const)?, int\) \$h:struct holder const& \$odd:int A::\*'
done
