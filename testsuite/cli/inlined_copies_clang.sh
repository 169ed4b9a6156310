# SPDX-License-Identifier: GPL-2.0-or-later
# clang makes copies of what is inlined into a loop, one for each round, and tells no entry of any; nor does gcc of what it has inlined
# before linking. Where the first line begins, an instance is entered.
. "$SUITE/lib.sh"
cat >p.c <<'E'
volatile int sink;
volatile long calls;
static inline int step(int n)
{
	calls++;
	if (n & 1)
		sink += n;
	return n + sink;
}
__attribute__((noinline)) int three(int n)
{
	for (int k = 0; k < 3; k++)
		sink += step(n);
	return sink;
}
int main(void)
{
	for (int i = 0; i < 10; i++)
		sink += three(i);
	return calls != 30;
}
E
clang=$(newest clang)
n=0
for compiler in "${clang:-clang} -O2" "clang-15 -O2" "gcc -O3" "gcc -O3 -flto"; do
	command -v ${compiler%% *} >/dev/null || continue
	$compiler -g -o p p.c || fail "$compiler"
	expect 0 "$SPILE" -c ./p -e 'global n, called
	probe process("./p").function("step") { n++ }
	probe process("./p").function("three").callee("step") { called++ }
	probe end { println(n, " ", called) }'
	is "30 30"
	n=$((n + 1))
done
[ $n -gt 2 ] || fail "only $n compilers are there"
[ -n "$clang" ] || skip "clang is not installed"
$clang -g -O2 -o p p.c || fail "$clang"
expect 0 "$SPILE" -c ./p -e 'global sum probe process("./p").function("step") { sum += $n } probe end { println(sum) }'
is 135
