# SPDX-License-Identifier: GPL-2.0-or-later
# C++: functions with their namespaces and classes, operators, templates; what is listed can be pasted back.
. "$SUITE/lib.sh"
command -v g++ >/dev/null || skip "no g++"
cat >names.cc <<'C'
namespace outer {
namespace {
__attribute__((noinline)) int hidden(int n) { return n + 1; }
}
class Box {
public:
	explicit Box(int n) : size(n) {}
	int grow(int by);
	int operator[](int at) const { return size + at; }
	bool operator<(const Box &other) const { return size < other.size; }
	Box operator<<(int by) const { return Box(size << by); }
	operator int() const { return size; }
	~Box();
	int size;
};
int Box::grow(int by) { return size += by; }
Box::~Box() { size = 0; }
template <typename T> T twice(T value) { return value + value; }
template <typename K, typename V> struct Pair {
	K key;
	V value;
	V sum() const { return V(key) + value; }
};
}
int main()
{
	outer::Box box(3), other(9);
	outer::Pair<outer::Box, short> pair = { outer::Box(1), 2 };
	auto lambda = [&](int x) { return box.size + x; };
	int n = box.grow(2) + box[1] + (box < other) + (box << 1).size + (int)box + outer::hidden(1);
	return n + outer::twice(4) + (int)outer::twice(2.5) + pair.sum() + lambda(7) == 0;
}
C
g++ -std=c++17 -g -O0 -o names names.cc || fail "g++ failed"
expect 0 "$SPILE" -l 'process("./names").function("*")'
grep -v 'function("_\|tm_clones\|frame_dummy' out >all # without what the compiler has linked in
cp all out
sed -i "s,$PWD/,,g" out
is 'process("names").function("main::operator()@names.cc:29")
process("names").function("main@names.cc:25")
process("names").function("outer::Box::Box@names.cc:7")
process("names").function("outer::Box::grow@names.cc:16")
process("names").function("outer::Box::operator int@names.cc:12")
process("names").function("outer::Box::operator<<@names.cc:11")
process("names").function("outer::Box::operator<@names.cc:10")
process("names").function("outer::Box::operator[]@names.cc:9")
process("names").function("outer::Box::~Box@names.cc:17")
process("names").function("outer::Pair<outer::Box, short int>::sum@names.cc:22")
process("names").function("outer::Pair<outer::Box, short int>::~Pair@names.cc:19")
process("names").function("outer::hidden@names.cc:3")
process("names").function("outer::twice<double>@names.cc:18")
process("names").function("outer::twice<int>@names.cc:18")'
while read -r point; do
	expect 0 "$SPILE" -l "$point"
	is "$point"
done <all

# finds PATTERN LINES: where the functions that match are declared.
finds()
{
	expect 0 "$SPILE" -l "process(\"./names\").function(\"$1\")"
	[ "$(sed 's/.*names\.cc:\([0-9]*\).*/\1/' out | sort -n | xargs)" = "$2" ] || fail "$1: not lines $2"
}
finds 'Box::gr*' 16
finds '::outer::Box::grow' 16
finds 'outer::Box::operator<' 10
finds 'operator<*' '10 11'
finds 'outer::*::sum' 22
finds 'outer::B*w' 16
finds 'outer::twice<*>' '18 18'
finds 'outer::Pair<*>::*' '19 22'
expect 1 "$SPILE" -l 'process("./names").function("::Box::grow")'
says 'nothing matches'

expect 0 "$SPILE" --engine=user -w -c ./names -e '
probe process("./names").function("outer::Box::grow") { printf("%s %d %d\n", ppfunc(), $this->size, $by) }
probe process("./names").statement("outer::Pair<outer::Box, short int>::sum@names.cc:22") { println($this->key->size, $this->value) }
probe process("./names").function("outer::twice<int>").return { println($return) }
probe process("./names").function("main::operator()") { println($x) }'
is 'grow 3 2
8
12
7'
expect 0 "$SPILE" --funcs 'outer::*<*>*' --in ./names
is 'outer::Pair<outer::Box, short int>::sum
outer::Pair<outer::Box, short int>::~Pair
outer::twice<double>
outer::twice<int>'

# Types, too; and integer types by any of their names.
cat >types.cc <<'C'
namespace left {
struct Point { long x, y; };
enum class Color { RED = 1, BLUE = 7 };
}
namespace right {
struct Point { char tag; long y, x; };
}
template <typename T> struct Cell {
	T value;
	__attribute__((noinline)) T get() const { return value; }
};
left::Point a = { 1, 2 };
right::Point b = { 'b', 3, 4 };
left::Color color = left::Color::BLUE;
int main()
{
	Cell<unsigned long> cell = { 9 };
	return cell.get() + a.x + b.x + (int)color == 0;
}
C
g++ -std=c++17 -g -O0 -o types types.cc || fail "g++ failed"
expect 0 "$SPILE" --engine=user -w -c ./types -e '
probe process("./types").function("Cell<unsigned long>::get")
{
	printf("%d %d %d\n", @cast(&@var("a"), "left::Point")->x, @cast(&@var("b"), "struct right::Point")->x, @cast(&@var("b"), "::right::Point")->y)
	printf("%d %s\n", @cast($this, "Cell<long unsigned>")->value, @enumname("left::Color", @var("color")))
}'
is '1 4 3
9 BLUE'
expect 1 "$SPILE" --engine=user -c ./types -e 'probe process("./types").function("main") { println(@cast(&@var("a"), "centre::Point")->x) }'
says "there is no type 'centre::Point' in ./types"

# Texts of wider characters than bytes are numbers.
cat >wide.cc <<'C'
struct S { char16_t t[4]; unsigned char v[3]; };
__attribute__((noinline)) long f(S *s, char16_t *p, const char32_t *q) { return s->t[0] + *p + *q; }
int main()
{
	S s = { u"abc", "z" };
	char16_t h[] = u"hello";
	return f(&s, h, U"world") == 0;
}
C
g++ -g -O0 -o wide wide.cc || fail "g++ failed"
expect 0 "$SPILE" --engine=user -c ./wide -e 'probe process("./wide").function("f") { printf("%s %s %s %s %d\n", $s$$, $s->t$, $p$, $q$, $s->t[1]) }'
is '{.t=[97, ...], .v="z"} [97, ...] 104 119 98'
