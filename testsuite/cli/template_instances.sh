# SPDX-License-Identifier: GPL-2.0-or-later
# A name without arguments is that of all instances of a template, where no function has that name itself.
. "$SUITE/lib.sh"
cat >inst.cc <<'E'
#define N __attribute__((noinline))
namespace a {
template <class T, class U> N T sum(T t, U u) { asm volatile(""); return t + (T)u; }
template <class T> struct Box {
	T value;
	N void put(T t) { asm volatile(""); value = t; }
	template <class U> N void put_as(U u) { asm volatile(""); value = (T)u; }
	struct Inner { N int get(T t) { asm volatile(""); return (int)t; } };
};
struct Boxer { N void put(int) { asm volatile(""); } };
N int plain(int x) { asm volatile(""); return x; }
template <class T> N int plain(T *x) { asm volatile(""); return *x; }
}
int main(int n, char **v)
{
	a::Box<int> i;
	a::Box<long> l;
	int sum = a::sum<int, char>(n, 1) + (int)a::sum<long, short>(n, 2);

	i.put(n), l.put(n), i.put_as<char>('a'), l.put_as(2.0);
	a::Boxer().put(n);
	return a::Box<int>::Inner().get(sum) + a::plain(n) + a::plain(&n) == 0;
}
E
g++ -g -O1 -o inst inst.cc || skip "g++ makes no program"
finds()
{
	expect 0 "$SPILE" -l "process(\"./inst\").function(\"$1\")"
	sed -i 's/.*function("\(.*\)@.*/\1/' out
	is "$2"
}
finds sum 'a::sum<int, char>
a::sum<long int, short int>'
finds a::sum@inst.cc 'a::sum<int, char>
a::sum<long int, short int>'
finds Box::put 'a::Box<int>::put
a::Box<long int>::put'
finds a::Box::put_as 'a::Box<int>::put_as<char>
a::Box<long int>::put_as<double>'
finds put_as 'a::Box<int>::put_as<char>
a::Box<long int>::put_as<double>'
finds Box::Inner::get 'a::Box<int>::Inner::get'
finds plain a::plain # as a script that names it means it
expect 1 "$SPILE" -l 'process("./inst").function("Box::get")'
for engine in user kernel; do
	[ $engine = user ] || [ "$(id -u)" = 0 ] || continue
	expect 0 "$SPILE" --engine=$engine -c ./inst -e 'probe process("./inst").function("sum") { println($t + $u) }
	probe process("./inst").function("Box::put").call { println($t, " ", $this->value != $t) }'
	is "2
3
1 1
1 1"
done
