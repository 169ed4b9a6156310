# SPDX-License-Identifier: GPL-2.0-or-later
# A bit-field is read and written by the bytes that hold it: not those behind the structure, and not those of another member, which
# a thread of the program may be changing.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >prog.c <<'C'
#include <string.h>
#include <sys/mman.h>
#include <stdio.h>
struct __attribute__((packed)) three { unsigned short a; unsigned b : 3; };
struct __attribute__((packed)) six { unsigned char a; unsigned long b : 37; int c : 3; };
struct beside { int b : 12; int c : 4; volatile char other; };
__attribute__((noinline)) void look(struct three *t, struct six *s, struct beside *n) { __asm__("" :: "r"(t), "r"(s), "r"(n) : "memory"); }
int main(void)
{
	char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct three t = { 0x1234, 6 }, *at = (void *)(page + 4096 - sizeof(t));
	struct six s = { 0x56, 0x1234567890, -3 }, *as = (void *)(page + 4096 - sizeof(s));
	struct beside n = { -5, 3, 'n' };
	mprotect(page + 4096, 4096, PROT_NONE);
	memcpy(at, &t, sizeof(t));
	look(at, &s, &n);
	t = *at;
	memcpy(as, &s, sizeof(s));
	look(&t, as, &n);
	s = *as;
	printf("%x %x %x %lx %d %d %d %c\n", t.a, t.b, s.a, (unsigned long)s.b, s.c, n.b, n.c, n.other);
	return 0;
}
C
gcc -g -O1 -o prog prog.c || fail gcc
expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c "./prog >said" -e 'probe process("./prog").function("look") {
	printf("%d %x %d %d %d %s %s\n", $t->b, $s->b, $s->c, $n->b, $n->c, $t$, $s$) }'
is "6 1234567890 -3 -5 3 {.a=4660, .b=6} {.a='V', .b=78187493520, .c=-3}
6 1234567890 -3 -5 3 {.a=4660, .b=6} {.a='V', .b=78187493520, .c=-3}"
quiet
[ "$(cat said)" = "1234 6 56 1234567890 -3 -5 3 n" ] || fail "the program has $(cat said)"

# What is written: how many bytes by each store.
expect 0 timeout 60 "$SPILE" -g --engine=$ENGINE -c "./prog >said" -e 'probe process("./prog").function("look") {
	printf("%d %x %d", $t->b-- , $s->b += 0x1100000000, $s->c++)
	printf(" %d %d\n", $n->b = -7, $n->c <<= 1)
	printf("%d %x %d %d %d\n", $t->b, $s->b, $s->c, $n->b, $n->c)
}'
is "6 2334567890 -3 -7 6
5 334567890 -2 -7 6
5 1434567890 -2 -7 12
4 1434567890 -1 -7 -4"
quiet
[ "$(cat said)" = "1234 4 56 1434567890 -1 -7 -4 n" ] || fail "the program has $(cat said)"
