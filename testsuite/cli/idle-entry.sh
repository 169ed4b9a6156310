# SPDX-License-Identifier: GPL-2.0-or-later
# clang's parameters have no place at instructions that do nothing at a function's entry; they are where they are behind those.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] && command -v clang >/dev/null || skip "needs clang on x86_64"
cat >prog.c <<'C'
__attribute__((noinline)) int work(int a, int b) { __asm__ volatile("" : "+r"(a)); return a * 10 + b; }
int main(int argc, char **argv) { return work(argc, 4) != 14; }
C
n=0
for flags in -fcf-protection=full -fpatchable-function-entry=9 '-fpatchable-function-entry=4,2' '-fxray-instrument -fxray-instruction-threshold=1' \
	'-m32 -fcf-protection=full'; do
	clang -g -O2 $flags -o prog prog.c 2>err && ./prog || continue
	n=$((n + 1))
	expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e 'probe process("./prog").function("work") { println($$parms) }
		probe process("./prog").function("work").return { println(@entry($b), " ", $return) }'
	is "a=0x1 b=0x4
4 14"
done
[ $n -gt 2 ] || skip "this clang knows few such flags"
