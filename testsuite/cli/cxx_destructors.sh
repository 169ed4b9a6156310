# SPDX-License-Identifier: GPL-2.0-or-later
# A destructor of C++ is several functions: the deleting one (D0) calls the complete one (D1), and clang's that of the base (D2). One
# object's end is one event, also where some of them are inlined, in thunks, too.
. "$SUITE/lib.sh"
cat >p.cc <<'E'
volatile int n;
struct A { virtual ~A(); int a = 1; };
struct B : A { ~B() override; int b = 2; };
struct V { virtual ~V(); int v = 3; };
struct W : virtual V { ~W() override; int w = 4; };
struct X : W { ~X() override; };
struct T { T *next; T(T *t) : next(t) {} virtual ~T(); };
A::~A() { n = n + 1; asm volatile("" ::: "memory"); }
B::~B() { n = n + 1; asm volatile("" ::: "memory"); }
V::~V() { n = n + 1; asm volatile("" ::: "memory"); }
W::~W() { n = n + 1; asm volatile("" ::: "memory"); }
X::~X() { n = n + 1; asm volatile("" ::: "memory"); }
T::~T() { n = n + 1; asm volatile("" ::: "memory"); delete next; }
template <class C> __attribute__((noinline)) C *opaque(C *p) { asm volatile("" : "+r"(p)); return p; }
int main()
{
	delete opaque<A>(new A);
	delete opaque<A>(new B);
	delete opaque(new B);
	{ B b; opaque(&b); }
	delete opaque<V>(new W);
	delete opaque<V>(new X);
	{ X x; opaque(&x); }
	delete opaque(new T(new T(new T(nullptr))));
	return n != 18;
}
E
cat >p.stp <<'E'
global ends
probe process("./p").function("?::~?") { ends[ppfunc()]++ }
probe end { foreach (name+ in ends) println(name, " ", ends[name]) }
E
compiled=0
for compiler in "g++ -O0" "g++ -O1" "clang++-15 -O0" "clang++-15 -O1" "clang++-19 -O0" "clang++-19 -O2"; do
	command -v "${compiler%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	$compiler -g -o p p.cc 2>messages || continue
	compiled=1
	expect 0 "$SPILE" --engine=user -w -c ./p p.stp
	is "~A 4
~B 3
~T 3
~V 3
~W 3
~X 2"
done
[ $compiled = 1 ] || skip "no C++ compiler"
