# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined instances that a pattern finds, and that do not have the handler's variable: left out, when others have it.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "no compiler"
cat >prog.c <<'C'
static volatile int sink;
__attribute__((noipa)) void takes(int x) { const int later = 5; sink = x + later; }
static inline __attribute__((always_inline)) int takes_inline(int x) { sink = x; int later = sink; sink = later * x; return later; }
int main(int argc, char **argv) { (void)argv; takes(argc); return takes_inline(argc) - takes_inline(argc + 1) + 1; }
C
gcc -g -O2 -o prog prog.c || fail "prog.c does not compile"
expect 0 "$SPILE" --engine=user -c ./prog -e 'probe process("./prog").function("takes*") { println(ppfunc(), " ", $later) }'
is 'takes 5'
says '^WARNING: 2 inlined instances are left out: \$later has no value at the start of takes_inline: .* \[W405\]$'
says '^    note: the first is process\(.*\)\.function\("takes_inline@.*prog.c:3"\)'
says '^    hint: with \.call the pattern finds no inlined functions$'
expect 0 "$SPILE" --engine=user -c ./prog -e 'probe process("./prog").function("takes*").call { println(ppfunc(), " ", $later) }'
is 'takes 5'
quiet
# None has it; and a name is no pattern.
for point in 'takes_*' takes_inline; do
	expect 1 "$SPILE" -p4 -o x.spo -e "probe process(\"./prog\").function(\"$point\") { println(\$later) }"
	says '^semantic error: \$later has no value at the start of takes_inline: .* \[E502\]$'
done
