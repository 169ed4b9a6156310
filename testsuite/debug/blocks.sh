# SPDX-License-Identifier: GPL-2.0-or-later
# Expressions in DW_FORM_block1, which Go writes in DWARF 4, too, are those in DW_FORM_exprloc: parameters, locals, globals.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
cat >blocks.c <<'E'
int level = 7;

__attribute__((noinline)) int twice(int x)
{
	volatile int doubled = x * 2;

	return doubled + level;
}

int main(void)
{
	return twice(4) != 15;
}
E
gcc -O0 -gdwarf-4 -dA -S -o exprloc.s blocks.c || fail "gcc"
sed 's/\.uleb128 0x18\([^0-9a-f].*(DW_FORM_exprloc)\)/.uleb128 0xa\1/' exprloc.s >block1.s
cmp -s exprloc.s block1.s && fail "gcc writes no DW_FORM_exprloc"
for form in exprloc block1; do
	gcc -o prog $form.s || fail "gcc $form.s"
	p='process("./prog")'
	expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e "probe $p.function(\"twice\") { println(\$x) }
		probe $p.statement(\"twice@blocks.c:7\") { println(\$\$vars, \" \", @var(\"level\")) }"
	is '4
x=0x4 doubled=0x8 7'
done
