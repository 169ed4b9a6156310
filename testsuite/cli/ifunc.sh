# SPDX-License-Identifier: GPL-2.0-or-later
# IFUNCs: not the resolver is probed, but what it chooses from.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "resolvers are read on x86_64 alone"
ENGINE=${ENGINE:-user}
cat >prog.c <<'C'
static int fast(int x) { return x * 2; }
static int slow(int x) { return x + x; }
static int slower(int x) { return x << 1; }
static int (*pick(void))(int)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("sse4.1") ? slow : __builtin_cpu_supports("sse2") ? fast : slower;
}
int twice(int x) __attribute__((ifunc("pick")));
__attribute__((target_clones("default", "avx2"))) int sum(int x) { return x + 1; }
int main(int argc, char **argv) { return twice(argc) != 2 || sum(argc) != 2; }
C
gcc -g -O1 -o prog prog.c || skip "this compiler makes no IFUNCs"
nm prog | grep -q ' i twice$' || skip "this compiler makes no IFUNCs"
traced() { expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c "$@"; }
traced ./prog -e 'probe process.function("twice") { println(ppfunc() =~ "fast|slow", $x) }'
quiet
is 11
traced ./prog -e 'probe process.function("sum").return { println($return) }'
quiet
is 2
expect 0 "$SPILE" -L 'process("./prog").function("twice")'
is "process(\"$TMP/prog\").function(\"fast@$TMP/prog.c:1\") \$x:int
process(\"$TMP/prog\").function(\"slow@$TMP/prog.c:2\") \$x:int
process(\"$TMP/prog\").function(\"slower@$TMP/prog.c:3\") \$x:int"
expect 0 "$SPILE" -L 'process("./prog").function("twic*")'
prints 'function\("slower@'
[ $ENGINE = user ] || {
	traced ./prog -v -e 'probe process.function("twice") { exit() }'
	says 'uprobe[^:]*: one of the functions that `twice` can be \(IFUNC\), of which one is in use$'
}
# In a process that runs it is known which one is in use.
[ $ENGINE = user ] || {
	sed 's/^int main.*/#include <unistd.h>\nint main(int argc, char **argv) { puts(twice(argc) == 2 ? "on" : ""); fflush(stdout); for (;;) pause(); }/; 1i #include <stdio.h>' prog.c >runs.c
	for flags in '' -Wl,-z,now -static-pie '-no-pie -static'; do
		gcc -g -O1 $flags -o runs runs.c || fail "gcc $flags"
		rm -f on
		./runs >on &
		pid=$!
		trap 'kill $pid' EXIT
		wait_for 20 test -s on
		expect 0 timeout 60 "$SPILE" -v -x $pid -T 1 -e 'probe process.function("twice") { exit() }'
		says "function\(\"slow@.*uprobe[^:]*: what \`twice\` \(IFUNC\) is in process $pid\$|function\(\"fast@.*uprobe[^:]*: what \`twice\` \(IFUNC\) is in process $pid\$"
		[ "$(grep -c "one of the functions that \`twice\` can be (IFUNC), but is not in process $pid\$" err)" = 2 ] || fail "$flags: $(cat err)"
		kill $pid
		wait $pid 2>/dev/null
		trap - EXIT
	done
}
# A library that spile uses, too, chooses the same for the command of -c.
[ $ENGINE = kernel ] || {
	echo 'int main(int argc, char **argv) { return !__builtin_memchr(argv[0], 0, 4096); }' | gcc -O0 -fno-builtin -o seeks -x c -
	libc=$(ldd seeks | awk '/libc\.so/ { print $3 }')
	script="probe process(\"$libc\").function(\"memchr\") { println(ppfunc()); exit() }"
	traced ./seeks -e "$script"
	used=$(cat out)
	expect 0 "$SPILE" --engine=kernel -p4 -v -c ./seeks -e "$script"
	says "function\(\"$used(@[^\"]*)?\"\): uprobe[^:]*: what \`memchr\` \(IFUNC\) is on this processor\$"
	[ "$(grep -c ': what `memchr` (IFUNC) is' err)" = 1 ] || fail "several are in use"
}
# Without symbols of the functions they have the IFUNC's name.
gcc -O1 -shared -fPIC -o libpick.so prog.c && strip --strip-all libpick.so
echo 'int twice(int); int main(int argc, char **argv) { return twice(argc) != 2; }' | gcc -o user -x c - -x none ./libpick.so
expect 0 "$SPILE" -l 'process("./libpick.so").function("twice")'
is "process(\"$TMP/libpick.so\").function(\"twice\")"
traced ./user -e 'probe process("./libpick.so").function("twice") { println(ppfunc(), " ", int_arg(1)) }'
quiet
is 'twice 1'
# Where calls of a library are bound late, it is known after the first one.
[ $ENGINE = user ] || {
	cat >calls.c <<-'C'
	#include <stdio.h>
	#include <unistd.h>
	int twice(int);
	int main(int argc, char **argv) { if (argc > 1) twice(argc); puts("on"); fflush(stdout); for (;;) { pause(); twice(argc); } }
	C
	gcc -g -O1 -shared -fPIC -o libpick.so prog.c && gcc -o calls calls.c ./libpick.so -Wl,-z,lazy || fail gcc
	for called in "" called; do
		rm -f on
		./calls $called >on &
		pid=$!
		trap 'kill $pid' EXIT
		wait_for 20 test -s on
		expect 0 timeout 60 "$SPILE" -v -x $pid -T 1 -e 'probe process("./libpick.so").function("twice") { exit() }'
		known=$(grep -c "what \`twice\` (IFUNC) is in process $pid\$" err)
		[ "$known$called" = 0 ] || [ "$known$called" = 1called ] || fail "'$called': $(cat err)"
		kill $pid
		wait $pid 2>/dev/null
		trap - EXIT
	done
}
# A resolver that leaves the choice to another function is not understood.
sed -i 's/pick(void))(int)$/look(void))(int)/; s/^int twice/static int (*(*volatile looks)(void))(int) = look;\nstatic int (*pick(void))(int) { return looks(); }\n&/' prog.c
gcc -g -O1 -no-pie -o hidden prog.c
expect 0 "$SPILE" -p2 -e 'probe process("./hidden").function("twice") { exit() }'
says '^WARNING: twice is chosen when the program starts; probed is what chooses it \[W407\]$'
# The resolver of a library, which the linker calls before it tells of the library.
gcc -g -O1 -shared -fPIC -o libhidden.so prog.c
echo 'int twice(int); int main(int argc, char **argv) { return twice(argc) != 2; }' | gcc -Wl,-z,now -o late -x c - -x none ./libhidden.so
traced ./late -e 'probe process("./libhidden.so").function("look") { println(ppfunc()) }'
quiet
is look
