# SPDX-License-Identifier: GPL-2.0-or-later
# A text that is made by statements of its own is made in its turn: it used to come behind the others, in the memory that one of them had.
. "$SUITE/lib.sh"
cat >two.c <<'C'
struct inner { char c; short n; long rest[3]; } in = { 'x', 7 };
struct outer { struct inner *inner; } out = { &in };
__attribute__((noinline)) int two(struct inner v, struct outer *s)
{
	return v.n + s->inner->n;
}
int main(void) { return two(in, &out) == 0; }
C
${CC:-gcc} -g -O1 -o two two.c || fail "compile"
cat >two.stp <<'S'
global g = 1
probe process(@1).function("two") {
	println(sprintf("<%5s>", $v$), sprintf("<%5s>", sprint($s->inner->n)))
	printf("%s %d %5s|\n", $v$ . sprint(g), g++, sprint(g) . sprint($s->inner->n))
}
S
for engine in user kernel; do
	expect 0 "$SPILE" --engine=$engine -c ./two two.stp "$TMP/two"
	is "<{.c='x', .n=7, .rest=[...]}><    7>
{.c='x', .n=7, .rest=[...]}1 1    27|"
done
