# SPDX-License-Identifier: GPL-2.0-or-later
# Fortran's arrays begin with the element 1 where nothing says otherwise, and have the first dimension innermost: a(i,j) is $a[j - 1][i - 1].
# Texts have a length and no end, which of texts of any length is in another variable; of arrays of any length nothing is read that is not
# there.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the fixture is x86_64 assembly"
cat >main.c <<'C'
void grid_(int *a, short *k, const char *text, const char *any, void *b, long text_len, long any_len);
int main(void)
{
	int a[] = { 11, 21, 12, 22, 13, 23 };
	short k[] = { 7, 8, 9 };
	static long b[16];

	grid_(a, k, "hellooo", "any", b, 5, 3);
	return k[1] != 21;
}
C
${CC:-cc} -o prog main.c "$SUITE/debug/fixtures/grid.s" || skip "no C compiler"
expect 0 "$SPILE" -L 'process("./prog").function("grid")'
sed -i 's/.*function/function/' out
is 'function("grid@/src/grid.f90:2") $a:integer(kind=4)[3][2] $k:integer(kind=2)[3] $text:character[5] $any:character[] $b:? $_text:integer(kind=8) const $_any:integer(kind=8) const'
expect 0 "$SPILE" --engine=user -c ./prog -e 'probe process("./prog").function("grid") {
	for (j = 0; j < 3; j++)
		for (i = 0; i < 2; i++)
			printf("%d ", $a[j][i])
	printf("%d %d %d %s %s\n", $k[0], $k[1], $k[2], $text$, $$parms)
	n[$any]++
	printf("%s %s %d %s\n", $any, $any$, strlen($any), user_string_n(&$any, 2))
}
probe process("./prog").function("grid").return { println(@entry($any)) }
global n'
is '11 21 12 22 13 23 7 8 9 "hello" a=[...] k=[...] text=[...] any="any" b=? _text=0x5 _any=0x3
any "any" 3 an
any
n["any"]=1'
for wrong in '$b[0]' '$any[0]'; do
	expect 1 "$SPILE" -p2 -e "probe process(\"./prog\").function(\"grid\") { println($wrong) }"
done
