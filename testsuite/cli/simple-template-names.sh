# SPDX-License-Identifier: GPL-2.0-or-later
# clang's -gsimple-template-names: debug information has `twice`, and the symbol alone says that it is twice<int>.
. "$SUITE/lib.sh"
cat >prog.cc <<'C'
template <typename T> __attribute__((noinline)) T twice(T value) { return value + value; }
template <typename K, int N> struct Box {
	K key;
	__attribute__((noinline)) int get(int by) { return key + N + by; }
};
int main()
{
	Box<int, 5> five{ 1 };
	Box<long, 7> seven{ 2 };

	return twice(3) + (int)twice(2.5) + five.get(2) + seven.get(4) == 0;
}
C
clang++ -g -O0 -gsimple-template-names -o prog prog.cc 2>messages || skip "no clang that has the option"
expect 0 "$SPILE" --engine=user -c ./prog -e '
probe process("./prog").function("twice<int>") { println(ppfunc(), " ", $value) }
probe process("./prog").function("Box<int, 5>::get"), process("./prog").function("Box<long, 7>::get") {
  println($this->key, " ", $by)
}'
is 'twice<int> 3
1 2
2 4'
expect 0 "$SPILE" -l 'process("./prog").function("Box<*>::get")'
is "process(\"$TMP/prog\").function(\"Box<int, 5>::get\")
process(\"$TMP/prog\").function(\"Box<long, 7>::get\")"

# Types have their arguments, and a type that is declared in one unit and defined in another is that of the same arguments.
cat >use.cc <<'C'
namespace ns { struct In { int i; }; }
template <class T> struct Pad;
template <class T, T V, class... More> struct Args { T own; };
extern Pad<long> *wide;
extern Pad<int> *narrow;
Args<unsigned, 3u, const ns::In *, char *const &> args = { 9 };
__attribute__((noinline)) int look(Pad<long> *p, Pad<int> *q, Args<unsigned, 3u, const ns::In *, char *const &> &a)
{
	return p && q && a.own;
}
int main() { return look(wide, narrow, args) == 0; }
C
cat >define.cc <<'C'
template <class T> struct Pad { char pad[sizeof(T)]; T v; };
Pad<int> of_int = { {}, 5 }, *narrow = &of_int;
Pad<long> of_long = { {}, 7 }, *wide = &of_long;
C
for names in -gsimple-template-names -gno-simple-template-names; do
	clang++ -g -O0 $names -o types use.cc define.cc 2>messages || skip "no clang that has the option"
	expect 0 "$SPILE" --engine=user -c ./types -e 'probe process("./types").function("look") {
	println($p->v, " ", $q->v, " ", @cast($q, "Pad<int>")->v, " ", @cast($p, "Pad<long>")->v, " ", $a->own) }'
	is '7 5 5 7 9'
	expect 0 "$SPILE" -L 'process("./types").function("look")'
	is "process(\"$TMP/types\").function(\"look@$TMP/use.cc:7\") \$p:struct Pad<long>* \$q:struct Pad<int>* \$a:struct Args<unsigned int, 3U, const ns::In *, char *const &>&"
	expect 1 "$SPILE" -p2 -e 'probe process("./types").function("look") { println(@cast($p, "Pad<char>")->v) }'
done
