# SPDX-License-Identifier: GPL-2.0-or-later
# Objects of C++ that take code to be copied or destroyed are passed by their addresses, on the stack when the registers are used up. LLVM
# before 17 describes the address on the stack as the object; at -O0 clang tells of the register that the prologue loads it to, and of a frame
# that is not there yet. What is not known is `?`.
. "$SUITE/lib.sh"
cat >p.cc <<'E'
struct object { int v; object(int x) : v(x) {} ~object() { v = 0; } };
struct with_hole { long : 64; long v; };
struct big { long a[4]; };
__attribute__((noinline)) int in_registers(object o, int n)
{
	asm volatile("" :: "r"(&o) : "memory");
	return o.v + n;
}
__attribute__((noinline)) long pushed(long a, long b, long c, long d, long e, long f, object p, object q, big g)
{
	asm volatile("" :: "r"(&p), "r"(&q), "r"(&g) : "memory");
	return p.v + q.v + a;
}
__attribute__((noinline)) long behind(big g, with_hole h, int n)
{
	asm volatile("" :: "r"(&g), "r"(&h) : "memory");
	return n;
}
int main(int argc, char **)
{
	return in_registers(argc + 30, 7) + pushed(1, 2, 3, 4, 5, 6, argc + 40, argc + 50, big{ { 4, 5, 6, 7 } }) + behind(big{ { 1 } }, with_hole(), 3) == 0;
}
E
cat >p.stp <<'E'
probe process("./p").function("in_registers") { println(@defined($o) ? $o->v : 31, " ", @defined($n) ? $n : 7) }
probe process("./p").function("pushed") {
	println(@defined($p) ? $p->v : 41, " ", @defined($q) ? $q->v : 51, " ", @defined($g) ? $g->a[1] : 5)
}
probe process("./p").statement("pushed@p.cc:12") { println(@defined($p) ? $p->v : 41, " ", @defined($q) ? $q->v : 51) }
probe process("./p").function("behind") { println(@defined($n) ? $n : 3) }
E
n=0
for compiler in "g++ -O0" "g++ -O2" "clang++-15 -O0" "clang++-15 -O1" "clang++-15 -O2 -fno-omit-frame-pointer" "clang++-19 -O0" "clang++-19 -O1"; do
	command -v "${compiler%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	$compiler -g -o p p.cc 2>messages || continue
	n=$((n + 1))
	expect 0 "$SPILE" --engine=user -w -c ./p p.stp
	sort -u out >sorted
	mv sorted out
	is "3
31 7
41 51
41 51 5"
done
[ $n != 0 ] || skip "no C++ compiler"
