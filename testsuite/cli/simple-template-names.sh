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
