# SPDX-License-Identifier: GPL-2.0-or-later
# Functions with the same code that the compiler or the linker has made one: who probes one of them sees the calls of all, which is told,
# and a pattern that both match sees each call once. An alias of the source is no other function.
. "$SUITE/lib.sh"
cat >p.c <<'E'
#define N __attribute__((noinline))
volatile int sum;
N int alpha(int x) { sum += x; return x * 3 + sum; }
N int beta(int x) { sum += x; return x * 3 + sum; }
static N int gamma_1(int x) { sum -= x; return x * 5 + sum; }
static N int gamma_2(int x) { sum -= x; return x * 5 + sum; }
N int delta(int x) { sum ^= x; return x * 7 + sum; }
int epsilon(int x) __attribute__((alias("delta")));
int main(void)
{
	for (int i = 0; i < 3; i++)
		sum += alpha(i) + gamma_1(i);
	for (int i = 0; i < 5; i++)
		sum += beta(i) + gamma_2(i);
	return delta(1) + epsilon(2) == 123456;
}
E
count()
{
	"$SPILE" -c ./p -e "global n probe process(\"./p\").function(\"$1\") { n++ } probe end { println(n) }" >out 2>err || fail "$1: $(cat err)"
	is "$2"
	if [ -n "$3" ]; then
		says "^WARNING: $3 are one function: their code is the same, and calls of both are seen \[W412\]\$"
		says '^    at <input>:1:16$'
	elif [ -s err ]; then
		fail "$1: $(cat err)"
	fi
}
gcc -g -O2 -o p p.c || fail "gcc"
count gamma_1 8 "gamma_1 and gamma_2"
count gamma_2 8 "gamma_1 and gamma_2"
count 'gamma_*' 8 "gamma_1 and gamma_2"
says '^ *note: there may be more such functions$'
count alpha 3
count delta 2
count epsilon 2
gcc -g -O2 -fno-ipa-icf -o p p.c || fail "gcc -fno-ipa-icf"
count gamma_1 3
for linker in gold lld; do
	command -v ld.$linker >/dev/null || continue
	compiler=gcc
	[ $linker = gold ] || compiler=$(newest clang) || continue
	$compiler -g -O2 -ffunction-sections -fuse-ld=$linker -Wl,--icf=all -o p p.c || fail "$linker"
	count alpha 8 "alpha and beta"
	count beta 8 "(alpha and beta|beta and alpha)"
	count 'gamma_*' 8 "gamma_[12] and gamma_[12]"
	"$SPILE" -w -c ./p -e 'global n probe process("./p").function("*a") { n++ } probe end { println(n) }' >out 2>err
	is 10
done
