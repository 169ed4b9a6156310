# SPDX-License-Identifier: GPL-2.0-or-later
# C++ functions by their parameters, and names of C++ symbols without debug information: both need the demangler.
. "$SUITE/lib.sh"
command -v g++ >/dev/null || skip "needs g++"
grep -q HAVE_LIBIBERTY "$BUILD/Makefile" || skip "spile was built without libiberty"
cat >over.cc <<'CC'
#define NOINLINE __attribute__((noinline))
namespace ns {
struct Name { long size; };
struct Box {
	long sum;
	void op(int v);
	void op(int v, const char *s);
	long op(const Name &name) const;
};
NOINLINE void Box::op(int v) { sum += v; asm volatile(""); }
NOINLINE void Box::op(int v, const char *s) { sum += v + *s; asm volatile(""); }
NOINLINE long Box::op(const Name &name) const { asm volatile(""); return sum + name.size; }
}
template <class T> NOINLINE T twice(T v) { asm volatile(""); return v + v; }
static NOINLINE void op() { asm volatile(""); }
int main()
{
	ns::Box b = { 0 };
	b.op(1);
	b.op(2, "x");
	op();
	return b.op(ns::Name{ 3 }) + twice(3) + (int)twice(2.0) == 0;
}
CC
g++ -g -O1 -o over over.cc || skip "g++ makes no program"
strip -g -o bare over

# finds NAME LINE SYMBOL: the function, in the program with debug information and in that without.
finds()
{
	expect 0 "$SPILE" -l "process(\"./over\").function(\"$1\")"
	sed -i "s,$PWD/,,g" out
	is "process(\"over\").function(\"$3@over.cc:$2\")"
	expect 0 "$SPILE" -l "process(\"./bare\").function(\"$1\")"
	sed -i "s,$PWD/,,g" out
	is "process(\"bare\").function(\"$3\")"
}
finds 'op(int)' 10 ns::Box::op
finds 'ns::Box::op(int, char const*)' 11 ns::Box::op
finds 'Box::op(int,const char *)' 11 ns::Box::op
finds 'op(ns::Name const&) const' 12 ns::Box::op
finds 'op(*Name*)' 12 ns::Box::op
finds 'op()' 15 op
finds 'op(void)' 15 op
finds 'twice<int>' 14 'twice<int>'
finds 'twice*(double)' 14 'twice<double>'
expect 1 "$SPILE" -l 'process("./over").function("op(long)")'
says 'nothing matches process\("./over"\).function\("op\(long\)"\)'
expect 0 "$SPILE" -l 'process("./bare").function("ns::*")'
sed -i "s,$PWD/,,g" out
is 'process("bare").function("ns::Box::op")'

# Names in stacks and of addresses.
expect 0 "$SPILE" --engine=user -w -c ./bare -e '
probe process("./bare").function("op(int)") { printf("%s %s\n", ppfunc(), usymname(uaddr())); print_ubacktrace() }'
sed -i "s/^ 0x[0-9a-f]* : \(.*\)+0x.*/\1/" out
[ "$(head -n 3 out)" = "op ns::Box::op
ns::Box::op
main" ] || fail "$(cat out)"
