# SPDX-License-Identifier: GPL-2.0-or-later
# The probe cache keeps the variables of a unit's namespaces, too: $x is the same one as with all debug information.
. "$SUITE/lib.sh"
mkdir home
export HOME=$TMP/home
unset XDG_CACHE_HOME DEBUGINFOD_URLS
cat >prog.cc <<'C'
int sink;
volatile int x = 3;
namespace A { volatile int x = 1; }
namespace B {
volatile int x = 2;
namespace { volatile int hidden = 7; }
__attribute__((noinline)) void in_b(int q) { sink += q + x + hidden + A::x + ::x; }
}
int main() { B::in_b(1); }
C
for compiler in g++ clang++; do
	command -v "$compiler" >/dev/null || continue
	expect 0 "$compiler" -g -O1 -Wl,--build-id -o prog prog.cc
	readelf -n prog | grep -q 'Build ID' || skip "the compiler writes no build-ids"
	for kind in full bare; do
		expect 0 "$SPILE" --no-cache --engine=user -c ./prog -e 'probe process("./prog").function("in_b") { println($x, " ", $hidden) }'
		is '2 7'
		[ $kind = bare ] && break
		expect 0 "$SPILE" cache add 'process("./prog").function("in_b")'
		strip prog
	done
done
