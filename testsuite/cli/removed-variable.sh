# SPDX-License-Identifier: GPL-2.0-or-later
# A variable of which the compiler has left nothing but its description. Another of that name counts before it.
. "$SUITE/lib.sh"
cat >prog.c <<'C'
static int gone = 5;
static int both;
int main(int argc, char **argv) { both = argc; return gone + argc == 6 ? 0 : 1; }
C
echo 'volatile static int both = 8; int reads(void) { return both; }' >third.c
gcc -g -O2 -o prog prog.c && gcc -g -O2 -no-pie -o kept prog.c third.c || fail gcc
readelf --debug-dump=info prog | grep -q ': gone' || skip "this compiler does not describe what it has removed"
expect 1 "$SPILE" -p2 -e 'probe process("./prog").function("main") { println($gone) }'
says "^semantic error: \\\$gone has no value at the start of main: it was optimised out \[E502\]\$"
expect 1 "$SPILE" -p2 -e "probe begin { println(@var(\"gone\", \"$TMP/prog\")) }"
says "^semantic error: variable 'gone' of $TMP/prog has no address \[E502\]\$"
says '^    note: it was optimised out$'
expect 0 "$SPILE" -u -c ./prog -e 'probe process.function("main") { println(@defined(@var("gone")), @defined($both)) }'
is 00
expect 1 "$SPILE" -p2 -e "probe begin { println(@var(\"both\", \"$TMP/prog\")) }"
expect 0 "$SPILE" -p2 -e "probe begin { println(@var(\"both\", \"$TMP/kept\")) }"
