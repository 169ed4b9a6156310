# SPDX-License-Identifier: GPL-2.0-or-later
# Parameters and results in registers are written under the user engine.
. "$SUITE/lib.sh"
cat >f.c <<'C'
#include <stdio.h>
__attribute__((noipa)) int f(int n) { return n + 1; }
__attribute__((noipa)) long g(signed char c) { return c; }
int main(void) { printf("%d %ld\n", f(1), g(2)); return 0; }
C
cc -g -O1 -o f f.c || skip "no C compiler"
expect 0 "$SPILE" -g --engine=user -c "./f >seen" -e 'probe process("./f").function("f") { $n += 40; println($n++, " ", $n) }
probe process("./f").function("g") { $c = -3 }
probe process("./f").function("f").return { println($return, " ", $return = -40, " ", $return) }'
is '41 42
43 -40 -40'
[ "$(cat seen)" = "-40 -3" ] || fail "the program has seen $(cat seen)"
expect 1 "$SPILE" -g -p4 -c ./f -e 'probe process("./f").function("f") { $n = 40 }'
says '^semantic error: `\$n` cannot be written here: it is in a register, which --engine=user alone changes \[E522\]$'
