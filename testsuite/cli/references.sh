# SPDX-License-Identifier: GPL-2.0-or-later
# C++ references: one to a number or pointer stands for it, one to a structure or array for its members or elements.
. "$SUITE/lib.sh"
cat >prog.cc <<'C'
enum color { RED, GREEN };
struct P { int a; };
struct S { int &m; S(int &x) : m(x) {} };
__attribute__((noipa)) int refs(int &r, const long &l, color &c, const char *&s, int &&m, double &d, S &st)
{
	return r + l + c + s[0] + m + (int)d + st.m;
}
__attribute__((noipa)) int more(P *const &p, P *(&ps)[2], int (&n)[3], int *&ip, int &r)
{
	return p->a + ps[1]->a + n[2] + ip[1] + r;
}
__attribute__((noipa)) int &same(int &r) { return r; }
int main()
{
	int i = 5, k = 8;
	color c = GREEN;
	const char *s = "text";
	double d = 2.5;
	S st(k);

	P p = { 31 }, q = { 32 }, *ps[2] = { &p, &q };
	int n[3] = { 1, 2, 3 }, *ip = n;

	more(&q, ps, n, ip, i);
	return refs(same(i), 9L, c, s, 77, d, st) == 0;
}
C
for level in -O0 -O2; do
	g++ -g $level -o prog prog.cc || skip "no C++ compiler"
	expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e 'probe process.function("refs") {
	println($r, " ", $l, " ", $c, " ", user_string($s), " ", $m, " ", fp_to_string($d, 1), " ", $st->m, " ", $r$, " ", user_int(&$r)) }
probe process.function("same").return { println($return) }'
	is '5
5 9 1 text 77 2.5 8 5 5'
	expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e 'probe process.function("more") {
	println($p->a, " ", $p$, " ", $ps[1]->a, " ", $n[2], " ", $n$, " ", $ip[1], " ", $ip[0], " ", strpos($$parms, " r=0x5") > 0) }'
	is '32 {.a=32} 32 3 [1, ...] 2 1 1'
done
