# SPDX-License-Identifier: GPL-2.0-or-later
# A script from a file, from -e, from standard input, and as a program; its arguments.
. "$SUITE/lib.sh"
echo 'probe begin { println("from a file") exit() }' >hello.stp
expect 0 "$SPILE" hello.stp
is 'from a file'
quiet
expect 0 "$SPILE" -e 'probe begin { println("from -e") exit() }'
is 'from -e'
expect 0 "$SPILE" - <<<'probe begin { println("from stdin") exit() }'
is 'from stdin'
printf '#!%s\nprobe begin { printf("%%s %%d of %%d\\n", @1, $2, $#) exit() }\n' "$SPILE" >program.stp
chmod +x program.stp
expect 0 ./program.stp one 2
is 'one 2 of 2'
expect 0 "$SPILE" -e 'probe begin { println(@1 . "!") println($2 + 1) println(@#) exit() }' 'a "b"' 41
is 'a "b"!
42
2'
expect 1 "$SPILE" -e 'probe begin { println($3) exit() }' 1
says '^parse error: script argument 3 is missing \[E110\]$'
