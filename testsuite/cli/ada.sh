# SPDX-License-Identifier: GPL-2.0-or-later
# Elements of a packed array of Ada have a few bits each, and are not read as if they had bytes; those of others are.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the fixture is x86_64 assembly"
cat >main.c <<'C'
struct both { unsigned short bits; unsigned char all_of[4]; };
void show(struct both *b);
int main(void)
{
	struct both b = { 1 << 3, { 0, 0, 1, 1 } };

	show(&b);
	return b.all_of[1] != 1;
}
C
${CC:-cc} -z noexecstack -o prog main.c "$SUITE/debug/fixtures/packed.s" || skip "no C compiler"
expect 0 "$SPILE" --engine=user -c ./prog -e 'probe process("./prog").function("show") { printf("%d %d %s\n", $b->all_of[1], $b->all_of[2], $b$) }'
is '0 1 {.bits=?, .all_of=[...]}'
expect 1 "$SPILE" -p2 -e 'probe process("./prog").function("show") { println($b->bits[3]) }'
