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

# The library's functions, by the number of the argument.
expect 0 "$SPILE" -g --engine=user -c "./f >seen" -e 'probe process("./f").function("f") { set_int_arg(1, 1 << 32 | 20) println($n) try { set_long_arg(9, 1) } catch (why) { println(why) } }
probe process("./f").function("g") { set_s64_arg(1, -5) }
probe process("./f").function("f").return { set_returnval($return + 100) }'
is '20
argument 9 is in no register'
[ "$(cat seen)" = "121 -5" ] || fail "the program has seen $(cat seen)"

# @uregister(N): number 5 of DWARF is rdi, 0 is rax.
[ "$(uname -m)" != x86_64 ] || {
expect 0 "$SPILE" -g --engine=user -c "./f >seen" -e 'probe process("./f").function("f") {
	@uregister(5) = 6
	println($n, " ", @uregister(5)++, " ", @uregister(5) += 3, " ", --@uregister(5), " ", @uregister(5))
}
probe process("./f").function("g").return { @uregister(0) = -1 }'
is '6 6 10 9 9'
[ "$(cat seen)" = "10 -1" ] || fail "the program has seen $(cat seen)"
}
expect 1 "$SPILE" -g -p4 -c ./f -e 'probe process("./f").function("f") { @uregister(5) = 40 }'
says '^semantic error: @uregister cannot be written: BPF programs do not change registers \[E522\]$'
says '^    hint: --engine=user changes those of the program$'
[ ! -e /sys/kernel/btf/vmlinux ] || {
expect 1 "$SPILE" -g -p4 -e 'probe kernel.function("vfs_read").return { $return = 0 }'
says "^semantic error: \\\$return cannot be written: BPF programs change neither the kernel's memory nor what its functions return \[E522\]\$"
}

# 32-bit programs
cat >g.c <<'C'
#include <stdio.h>
__attribute__((noipa)) int f(int a, int b) { return a + b; }
__attribute__((noipa, regparm(3))) int g(int a, short b, unsigned char *c) { return a * 1000 + b * 10 + (c != 0); }
__attribute__((noipa)) char h(char *p) { return *p; }
int main(void) { char x[] = "ab"; printf("%d %d %c\n", f(1, 2), g(1, 2, 0), h(x)); return 0; }
C
need_32_bits
gcc -m32 -g -O2 -o g g.c || fail "gcc -m32"
expect 0 "$SPILE" -g --engine=user -c "./g >seen" -e 'probe process("./g").function("f").return { println($return, " ", $return = -7) }
probe process("./g").function("g") { $a = 5 $b = -3 $c = $c + 1 println($a, " ", $b, " ", $c) }
probe process("./g").function("h").return { $return++ @uregister(0) -= 1 @uregister(0)++ }'
is '5 -3 1
3 -7'
[ "$(cat seen)" = "-7 4971 b" ] || fail "the program has seen $(cat seen)"
