# SPDX-License-Identifier: GPL-2.0-or-later
# A parameter that one place of a function lacks, where it is inlined: the message says where that is, and how to leave it out.
. "$SUITE/lib.sh"
cat >p.c <<'C'
__attribute__((pure, noipa)) long costly(long x) { return x * 7; }
static inline int twice(int n, long unused) { __asm__ volatile("" : "+r"(n)); return n * 2; }
__attribute__((noinline)) int outer(int n) { return twice(n, costly(n)); }
int (*volatile pointer)(int, long) = twice;
int main(int argc, char **argv) { (void)argv; return outer(argc) + pointer(argc, 3) == 1; }
C
gcc -g -O2 -o p p.c || fail gcc
expect 1 "$SPILE" -p2 -e 'probe process("./p").function("twice") { println($unused) }'
says 'semantic error: \$unused has no value at the start of twice: optimised out \[E502\]$'
says "^    note: at process\\(\"$TMP/p\"\\)\\.function\\(\"twice@$TMP/p\\.c:2\"\\), where it is inlined into outer: with \\.call there are no such places\$"
expect 0 "$SPILE" -c ./p -e 'probe process("./p").function("twice").call { println($unused) }'
prints '^3$'
