# SPDX-License-Identifier: GPL-2.0-or-later
# A program of 32 bits prints what the same program of 64 bits prints, with every source of events that programs have.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
need_32_bits
cat >words.stp <<'S'
probe process(@1).begin { println("begin") }
probe process(@1).function("visit").call
{
	printf("%s: %d %d %s %s, %s\n", ppfunc(), $depth, $wide, user_string2($text, "?"), $node$, $node->next->name$)
	printf("%d %d, %d %d %d\n", $list == $node, $counter, int_arg(2), longlong_arg(3), pointer_arg(1) == $node)
	printf("%d %d\n", @cast($node, "struct node", @1)->next->value, user_ulong(&$node->next) == $node->next)
}
probe process(@1).function("visit").return { printf("visit: %d %d %d\n", $return, returnval(), @entry($depth)) }
probe process(@1).function("widen").return { printf("widen: %x %s\n", $return, $$return) }
probe process(@1).function("make_pair").return { printf("make_pair: %s, %d\n", $return$, $return->b) }
probe process(@1).function("make_big").return { printf("make_big: %s %d\n", $return->text$, $return->node->value) }
probe process(@1).function("find").return { printf("find: %x %s\n", $return->wide, user_string($return->name)) }
probe process(@1).function("by_value").call
{
	printf("by_value: %s %d %d %s\n", $big->text$, $letter, $number, $big$$)
	print_ubacktrace_brief()
}
probe process(@1).statement("main@*words.c:@LINE@") { printf("main: %d %s %d\n", $nodes[1]->value, $big->text$, $shorts[1]) }
probe process(@1).mark("step") { printf("%s: %d %s %d %d\n", $$name, $arg1, user_string($arg2), $arg3, $arg4) }
probe process(@1).function("calls") { in_calls = 1 words = uarch_bytes() }
probe process(@1).syscall { if (in_calls) printf("call %d\n", $syscall == (words == 4 ? 64 : 110)) }
probe process(@1).syscall.return { if (in_calls) { printf("return %d\n", $return == ppid()) in_calls = 0 } }
probe process(@1).plt("getppid") { printf("plt %s\n", $$name) }
probe process(@1).end { println("end") }
global in_calls, words
S
sed -i "s/@LINE@/$(grep -n 'by_value(big, ' "$TOP/testsuite/progs/words.c" | cut -d: -f1)/" words.stp
# Addresses differ, and so does what has called main.
filter() { sed -E 's/\.(next|node)=0x[0-9a-f]+/.\1=ADDRESS/g; s/^((by_value|main)\+)0x.*/\1/; /^__libc_start|^_start|^0x/d' out; }
cat >want <<'W'
begin
visit: 1 5 first {.value=10, .next=ADDRESS, .name="ten", .wide=1234605616436508552}, "minus twenty"
1 -3, 1 5 1
-20 1
visit: 18 18 1
visit: -2 -6000000000 second {.value=-20, .next=ADDRESS, .name="minus twenty", .wide=7}, "thirty"
0 8, -2 -6000000000 1
30 1
visit: -1705032712 -1705032712 -2
widen: 7ffffffff return=0x7ffffffff
make_pair: {.a=-4, .b=5}, 5
find: ffffffffffffffff thirty
make_big: "made" 10
main: -20 "by value" -6
by_value: "by value" 120 -9 {.text="by value", .node=ADDRESS, .real=-0.25}
by_value+
main+
step: 2 minus twenty -6 7
plt getppid
call 1
return 1
end
W
for options in "-m64" "-m32" "-m32 -gdwarf-4 -fcf-protection" "-m32 -no-pie"; do
	# There a stub begins with an instruction that the kernel can take for another one: root/words_absolute.
	[ "$engine $options" != "kernel -m32 -no-pie" ] || sed -i /plt/d words.stp want
	gcc $options -g -O2 -fno-omit-frame-pointer -o words "$TOP/testsuite/progs/words.c" || fail "gcc $options"
	expect 0 "$SPILE" --engine="$engine" -c ./words words.stp ./words
	filter >got
	diff want got || fail "gcc $options"
	quiet
done
# Before its prologue a function has its arguments on the stack alone, whatever debug information says.
if command -v clang-19 >/dev/null; then
	clang-19 -m32 -g -O0 -o words "$TOP/testsuite/progs/words.c" || fail clang
	expect 0 "$SPILE" --engine="$engine" -c ./words -e 'probe process("./words").function("visit").return { printf("%d %d %s\n", $depth, $wide, user_string2($text, "?")) }'
	is "1 5 first
-2 -6000000000 second"
fi
# Its threads are known by the numbers of its system calls.
gcc -m32 -g -O2 -o threads "$TOP/testsuite/progs/threads.c" -lpthread || fail threads
expect 0 "$SPILE" --engine="$engine" -c "./threads 3" -e 'global n, ended probe process("./threads").thread.begin { n++ } probe process("./threads").thread.end { ended++ }
probe end { println(n, " ", ended) }'
is "4 4"
cat >library.stp <<'S'
probe process("./words").library("libc.so.6").function("getppid") { print_ubacktrace_brief() }
S
expect 0 "$SPILE" --engine="$engine" -c ./words library.stp
prints '^(__)?getppid\+0x0$'
prints '^calls\+0x'
exit 0
