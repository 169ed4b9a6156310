# SPDX-License-Identifier: GPL-2.0-or-later
# Debug information that has lines, but no functions, is named where a place in the source is asked for.
. "$SUITE/lib.sh"
command -v clang >/dev/null || skip "needs clang"
cat >prog.c <<'C'
__attribute__((noinline)) int work(int a) { __asm__ volatile("" : "+r"(a)); return a; }
int main(void) { return work(0); }
C
clang -gline-tables-only -O1 -o prog prog.c 2>err || skip "this clang cannot leave functions out"
! readelf --debug-dump=info prog | grep -q DW_TAG_subprogram || skip "this clang does not leave functions out"
expect 1 "$SPILE" -l 'process("./prog").statement("*@prog.c:1")'
says "note: looked for a function in $PWD/prog, which has lines alone, without functions \\(clang -gline-tables-only\\): compile it with -g\$"
expect 0 "$SPILE" -l 'process("./prog").function("work")'
clang -g -O1 -o prog prog.c
expect 1 "$SPILE" -l 'process("./prog").statement("*@other.c:1")'
! grep -q 'lines alone' err || fail "it has functions"

printf '.globl bare\n.type bare, @function\nbare: ret\n.size bare, . - bare\n.section .note.GNU-stack\n' >bare.s
echo 'void bare(void); int main(void) { bare(); return 0; }' >main.c
clang -g -c main.c && clang -c bare.s && clang -o prog main.o bare.o
expect 1 "$SPILE" -l 'process("./prog").function("bare@main.c")'
says "note: bare is there, but no debug information tells its file: compile it with -g\$"
