# SPDX-License-Identifier: GPL-2.0-or-later
# An optional probe that cannot be attached is left out, with a word when nothing else is attached: the script would see nothing.
. "$SUITE/lib.sh"
echo '__attribute__((noinline)) int f(int a) { __asm__(""); return a; } int main(void) { return f(0); }' >prog.c
gcc -g -O1 -o prog prog.c || fail gcc
cp prog gone
expect 0 "$SPILE" -p4 --engine=kernel -o x.spo -e 'probe process("./gone").function("f")? { println("gone") } probe end { println("end") }'
expect 0 "$SPILE" -p4 --engine=kernel -o y.spo -e 'probe process("./gone").function("f")? { println("gone") }
probe process("./prog").function("f") { println("f") } probe end { println("end") }'
rm gone
expect 0 timeout 60 "$SPILE_RUN" x.spo -c ./prog
is end
says "^WARNING: optional probe left out: .*$PWD/gone.*: No such file or directory"
expect 0 timeout 60 "$SPILE_RUN" y.spo -c ./prog
is "f
end"
quiet
