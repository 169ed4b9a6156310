# SPDX-License-Identifier: GPL-2.0-or-later
# Source files and lines of addresses, and the functions that are inlined there. An address that a call returns to has the line of
# the call.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
cat >lines.c <<'C'
static int total;
static inline __attribute__((always_inline)) int inner(int x)
{
	__asm__ volatile("nop");
	total += x;
	return total;
}
static inline __attribute__((always_inline)) int middle(int x)
{
	return inner(x + 1) * 2;
}
__attribute__((noipa)) int leaf(int x)
{
	return x + total;
}
__attribute__((noipa)) int outer(int x)
{
	int y = middle(x);

	return leaf(y) + 1;
}
int main(void)
{
	return outer(3) == 0;
}
C
gcc -g -O2 -fno-omit-frame-pointer -o lines lines.c || fail gcc
cat >lines.stp <<'S'
probe process("./lines").function("leaf")
{
	print_ubacktrace_fileline()
	printf("%s %s %s\n", usymfileline(uaddr()), usymline(uaddr()), usymfile(uaddr()))
}
probe process("./lines").statement("inner@*:4") { print_ubacktrace_fileline() println(usymfileline(uaddr())) }
S
expect 0 "$SPILE" --engine="$engine" -c ./lines lines.stp
quiet
sed -E "s|$PWD|DIR|g; s/^ 0x[0-9a-f]+/ ADDRESS/; s|\+0x[0-9a-f]+/0x[0-9a-f]+|+OFFSET|; /__libc_start|_start\+OFFSET/d; / ADDRESS \[/d" out >got
cat >want <<'W'
 ADDRESS : inner at DIR/lines.c:4 (inlined) [DIR/lines]
 ADDRESS : middle at DIR/lines.c:10 (inlined) [DIR/lines]
 ADDRESS : outer+OFFSET at DIR/lines.c:18 [DIR/lines]
 ADDRESS : main+OFFSET at DIR/lines.c:24 [DIR/lines]
DIR/lines.c:4
 ADDRESS : leaf+OFFSET at DIR/lines.c:14 [DIR/lines]
 ADDRESS : outer+OFFSET at DIR/lines.c:20 [DIR/lines]
 ADDRESS : main+OFFSET at DIR/lines.c:24 [DIR/lines]
DIR/lines.c:14 14 DIR/lines.c
W
diff want got || fail "stacks"
# The runtime alone has the names, and no lines.
expect 0 "$SPILE" --engine="$engine" -p4 -o lines.spo lines.stp
expect 0 "$SPILE_RUN" --engine="$engine" -c ./lines lines.spo
prints '^ 0x[0-9a-f]+ : outer\+0x.*/lines\]$'
prints '^0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+$'
exit 0
