# SPDX-License-Identifier: GPL-2.0-or-later
# gcc -O2 puts copies of virtual functions into thunks, which debug information does not tell of: calls that run those are told of. A thunk
# that jumps to its function is nothing to tell of.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is read"
command -v g++ >/dev/null || skip "needs g++"
cat >t.cc <<'CC'
volatile int sink;
struct A { virtual int fa(int) { return 1; } long x = 1; };
struct B { virtual int fb(int) { return 2; } long y = 2; };
struct V { virtual int fv(int) { return 3; } long z = 3; };
struct C : A, B, virtual V { int fa(int n) override; int fb(int n) override; int fv(int n) override; };
int C::fa(int n) { sink += n * 3; return n + x; }
int C::fb(int n) { sink += n; return n + y; }
int C::fv(int n) { sink += n * 2; return n + z; }
__attribute__((noinline)) int call_a(A *a, int n) { return a->fa(n); }
__attribute__((noinline)) int call_b(B *b, int n) { return b->fb(n); }
__attribute__((noinline)) int call_v(V *v, int n) { return v->fv(n); }
int main() { C *c = new C; int sum = 0; for (int i = 0; i < 3; i++) sum += call_a(c, i) + call_b(c, i) + call_v(c, i); return sum == 0; }
CC
cat >calls.stp <<'S'
global n
probe process.function("C::f?") { n[ppfunc()]++ }
probe end { printf("%d %d %d\n", n["fa"], n["fb"], n["fv"]) }
S
g++ -g -O2 -fno-inline-functions -o t t.cc
expect 0 "$SPILE" --engine=user -c ./t calls.stp
is '3 3 3'
! grep -q W413 err || fail "a thunk that jumps"
g++ -g -O2 -fno-devirtualize-speculatively -o t t.cc # which would put a copy of the function into call_b(), too
objdump -d --no-show-raw-insn t | grep -A8 '<_ZThn16_N1C2fbEi>:' | grep -q 'jmp.*C2fb' && skip "this gcc lets thunks jump"
expect 0 "$SPILE" --engine=user -c ./t calls.stp
is '3 0 0'
says '^WARNING: calls of C::fb by way of a base class are not seen: they run a copy of it \[W413\]$'
says '^    hint: function\("_ZThn16_N1C2fbEi"\) is that copy$'
says '^    note: there may be more such functions$'
expect 0 "$SPILE" -w --engine=user -c ./t -e 'global n
probe process.function("C::fb"), process.function("_ZThn16_N1C2fbEi"), process.function("C::fv"), process.function("_ZTv0_n24_N1C2fvEi") { n++ }
probe end { println(n) }'
is 6
