# SPDX-License-Identifier: GPL-2.0-or-later
# Copies of inlined methods and templates; parts that gcc cut off from them and found to be the same code: one is inlined for both.
. "$SUITE/lib.sh"
command -v g++ >/dev/null || skip "g++ is not installed"
cat >p.cc <<'E'
#include <cstdio>
volatile int sink;
volatile long calls[5];
struct Box {
	int v;
	Box(int n) : v(n) { calls[0]++; if (n < 0) v = 0; for (int i = 0; i < (n & 3); i++) sink += i; }
	int get(int d) const { calls[1]++; if (d < 0) return v; for (int i = 0; i < (d & 7); i++) sink += i; return v + d; }
	inline int set(int d);
	template <typename T> T add(T d) { calls[3]++; if (d < 0) return 0; for (int i = 0; i < (int(d) & 7); i++) sink += i; return v + d; }
};
inline int Box::set(int d) { calls[2]++; if (d < 0) return 0; for (int i = 0; i < (d & 7); i++) sink += i; return v = d; }
namespace ns { static inline int clamp(int a) { calls[4]++; if (a < 0) return 0; for (int i = 0; i < (a & 7); i++) sink += i; return a; } }
__attribute__((noipa)) int use(int a)
{
	int b = a + 1;
	if (a < 0) { sink = 3; b = -2; } else sink += 2;
	Box box(b);
	int r = box.get(b) + box.set(b) + box.add(b) + (int)box.add((long)b) + ns::clamp(b);
	return r + box.v;
}
int main()
{
	for (int i = -4; i < 6; i++)
		sink += use(i);
	printf("%ld %ld %ld %ld %ld\n", calls[0], calls[1], calls[2], calls[3], calls[4]);
	return 0;
}
E
cat >p.stp <<'E'
global n, get, set, add, clamp
probe process("./p").function("Box::Box") { n++ }
probe process("./p").function("Box::get") { get++ }
probe process("./p").function("Box::set") { set++ }
probe process("./p").function("Box::add*") { add++ }
probe process("./p").function("ns::clamp") { clamp++ }
probe end { println(n, " ", get, " ", set, " ", add, " ", clamp) }
E
for level in -O1 -O2 -O3 -Os; do
	g++ -g $level -o p p.cc || fail "g++ $level"
	expect 0 "$SPILE" -c ./p p.stp
	is "10 10 10 20 10
10 10 10 20 10"
done
