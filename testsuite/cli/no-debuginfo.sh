# SPDX-License-Identifier: GPL-2.0-or-later
# Programs and kernels without debug information: what is missing, and where it would come from.
. "$SUITE/lib.sh"
command -v strip >/dev/null || skip "no strip"
strip -o bare "$PROGS/calls"
expect 1 "$SPILE" -p4 -o x.spo -e 'probe process("./bare").function("add") { println($a) exit() }'
says '^    note: looked for a function in .*/bare, without DWARF: no debug information in .*; compile the program with -g or '
expect 1 "$SPILE" -p4 -o x.spo -r ./bare -e 'probe kernel.function("vfs_read") { println($count) exit() }'
says '^    note: looked for a function in .*/bare, without DWARF: no debug information for kernel unknown .*; install linux-image-unknown-dbg, or '
# What needs none is told.
cc -shared -fPIC -s -o lib.so -x c - <<<'int add(int a) { return a + 1; }' || fail "no C compiler"
expect 1 "$SPILE" -p2 -e 'probe process("./lib.so").function("add") { println($a) }'
says '^    note: long_arg\(1\), pointer_arg\(1\) and the like need none: arguments by their number$'
expect 1 "$SPILE" -p2 -e 'probe process("./lib.so").function("add").return { println($return) }'
says '^    note: returnval\(\) needs none: it is the register of the result$'
size=$(stat -c %s "$PROGS/calls")
for part in 1 5 20 50 80 95 99; do
	head -c $((size * part / 100)) "$PROGS/calls" >cut
	expect 1 "$SPILE" -p4 -o x.spo -e 'probe process("./cut").function("add") { println($a) exit() }'
	says '^semantic error: .*/cut is truncated.* \[E507\]$'
done
expect 1 "$SPILE" -p4 -o x.spo -e 'probe process("./nosuch").function("add") { exit() }'
says '^semantic error: cannot open \./nosuch: No such file or directory \[E507\]$'
