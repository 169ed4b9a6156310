# SPDX-License-Identifier: GPL-2.0-or-later
# -fdebug-types-section: types are in units of their own, to which the others refer by signatures.
. "$SUITE/lib.sh"
cat >c.c <<'C'
struct s { int a; struct in { long b; } *in; };
enum color { RED, GREEN };
union u { int i; float f; };
__attribute__((noinline)) int f(struct s *p, union u *q, enum color c) { return p->a + q->i + c + (int)p->in->b; }
int main(void) { struct in i = { 5 }; struct s s = { 3, &i }; union u u = { 7 }; return f(&s, &u, GREEN) == 0; }
C
cat >cc.cc <<'C'
struct P { int x, y; };
namespace ns {
struct C {
	int v;
	P p;
	__attribute__((noinline)) int get(int k) const { asm volatile(""); return v * k; }
};
struct D;
}
struct ns::D { ns::C c; long last; };
__attribute__((noipa)) int refs(P &p, P &&m, ns::D *d) { asm volatile(""); return p.x + m.y + d->last; }
int main(int argc, char **argv)
{
	P p = { 3, 4 };
	ns::C c = { 7, p };
	ns::D d = { c, 9 };
	return refs(p, P{ 1, 2 }, &d) + c.get(argc) == 0;
}
C
for version in 4 5; do
	gcc -g -gdwarf-$version -O0 -fdebug-types-section -o c c.c || fail gcc
	expect 0 timeout 60 "$SPILE" --engine=user -c ./c -e 'probe process.function("f") {
		println($p->a, " ", $p->in->b, " ", $q->i, " ", $c$) }'
	is '3 5 7 GREEN'
	expect 0 "$SPILE" --types 'struct in' --in ./c
	prints ' b:long int$'
	g++ -g -gdwarf-$version -O1 -fdebug-types-section -o cc cc.cc || skip "no C++ compiler"
	expect 0 timeout 60 "$SPILE" --engine=user -c ./cc -e 'probe process.function("refs") { println($p->x, $m->y, $p$, $d->c->p->y, $d->last) }
probe process.function("ns::C::get") { println($this->v, @cast($this, "ns::C", "./cc")->p->x) }'
	is '32{.x=3, .y=4}49
73'
done
# A structure that is defined outside of the namespace that declares it.
g++ -g -O1 -o cc cc.cc
expect 0 "$SPILE" --types 'struct ns::D' --in ./cc
prints ' last:long int$'
