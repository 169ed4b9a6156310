# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of a namespace by name and by pattern: those that are only inlined, those whose code link-time optimisation describes in a
# unit of its own, and those whose own name is where many others end.
. "$SUITE/lib.sh"
command -v g++ >/dev/null || skip "needs g++"
cat >shop.h <<'CC'
namespace shop {
struct Cart {
	int n;
	int total(int price);
	__attribute__((always_inline)) int twice() { return n * 2; }
	int init();
};
}
CC
cat >cart.cc <<'CC'
#include "shop.h"
__attribute__((noinline)) int shop::Cart::total(int price) { __asm__ volatile(""); return n * price; }
__attribute__((noinline)) int shop::Cart::init() { __asm__ volatile(""); return n; }
CC
cat >main.cc <<'CC'
#include "shop.h"
extern "C" {
CC
for i in $(seq 8); do echo "__attribute__((noipa)) int n${i}_init(int a) { return a + $i; }"; done >>main.cc
cat >>main.cc <<'CC'
}
int main(int argc, char **argv)
{
	shop::Cart cart = { argc };

	return cart.total(3) + cart.twice() + cart.init() + n1_init(0) + n2_init(0) + n3_init(0) + n4_init(0) + n5_init(0) +
	       n6_init(0) + n7_init(0) + n8_init(0) == 0;
}
CC
for flags in -O0 -O2 '-O2 -flto' '-O2 -flto -flto-partition=max' '-O2 -fdebug-types-section'; do
	g++ -g $flags -o prog main.cc cart.cc 2>log || fail "g++ $flags: $(cat log)"
	for pattern in 'shop::*' 'shop::Cart::*' 'Cart::*' 'shop::*twi*'; do
		expect 0 "$SPILE" -l "process(\"./prog\").function(\"$pattern\")"
		sed -E 's/.*function\("([^"@]*)@.*:/\1 /; s/"\)//' out | sort -u >names
		printf '%s\n' 'shop::Cart::init 3' 'shop::Cart::total 2' 'shop::Cart::twice 5' |
			if [ "$pattern" = 'shop::*twi*' ]; then grep twice; else cat; fi | diff - names || fail "$flags: $pattern"
	done
	for name in shop::Cart::init Cart::total Cart::twice shop::Cart::twice; do
		expect 0 "$SPILE" -l "process(\"./prog\").function(\"$name\")"
		grep -q "function(\"shop::Cart::${name##*:}@" out && [ "$(wc -l <out)" = 1 ] || fail "$flags: $name"
	done
	expect 1 "$SPILE" -l 'process("./prog").function("prog::init")'
	expect 1 "$SPILE" -l 'process("./prog").function("shop::main")'
	expect 0 "$SPILE" -l 'process("./prog").function("n?_init")'
	[ "$(wc -l <out)" = 8 ] || fail "$flags: n?_init"
done
# clang has the name of a class in its type unit alone.
command -v clang++ >/dev/null || exit 0
clang++ -gdwarf-4 -O1 -fdebug-types-section -o prog main.cc cart.cc 2>log || fail "clang++: $(cat log)"
for name in Cart::total 'Cart::t*' 'shop::Cart::init'; do
	expect 0 "$SPILE" -l "process(\"./prog\").function(\"$name\")"
	[ -s out ] || fail "clang++: $name"
done
