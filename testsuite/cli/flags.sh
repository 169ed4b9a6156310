# SPDX-License-Identifier: GPL-2.0-or-later
# Enumerations of flags, as gdb 13 shows them, and the same in each way that a value becomes text.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >prog.c <<'C'
enum few { NONE, READ = 1, WRITE = 2, AGAIN = 2 };
enum many { B1 = 1, B2 = 2, B4 = 4, B8 = 8, B16 = 16, TOP = 0x80000000u };
enum mask { ONE = 1, TWO = 2, BOTH = 3, EIGHT = 8 }; // BOTH has two bits: these are no flags
enum low { MINUS = -1, PLUS = 2 }; // neither are these
enum nothing { ZERO };
struct all {
	enum few few;
	enum many many : 6;
	enum mask mask;
	enum low low;
	enum nothing nothing;
};
__attribute__((noinline)) int take(struct all *all, enum few few, enum many many) { __asm__ volatile("" : : "r"(all), "r"(few), "r"(many) : "memory"); return 0; }
int main(void)
{
	static const unsigned values[] = { 0, 1, 2, 3, 5, 6, 18, 0x80000009u, -2u };
	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
		unsigned n = values[i];
		struct all all = { n, n & 0x3f, n, n, n };
		take(&all, n, n);
	}
	return 0;
}
C
cat >flags.stp <<'STP'
global of_few, of_many
probe process.function("take") {
	printf("%s %s %s\n", $few$, $many$, $all$)
	few = $few$
	many = $many$
	all = sprintf("%s", $all$)
	printf("%s %s %s\n", few, many, all)
	of_few[$few$] = $few & 0xffffffff
	of_many[$many$] = $many & 0xffffffff
}
probe end {
	foreach (name+ in of_few)
		printf("%s=%#x\n", name, of_few[name])
	foreach (name+ in of_many)
		printf("%s=%#x\n", name, of_many[name])
}
STP
sed p >wanted <<'END'
NONE 0 {.few=NONE, .many=0, .mask=0, .low=0, .nothing=ZERO}
READ B1 {.few=READ, .many=B1, .mask=ONE, .low=1, .nothing=(unknown: 0x1)}
WRITE B2 {.few=WRITE, .many=B2, .mask=TWO, .low=PLUS, .nothing=(unknown: 0x2)}
(READ | WRITE) (B1 | B2) {.few=(READ | WRITE), .many=(B1 | B2), .mask=BOTH, .low=3, .nothing=(unknown: 0x3)}
(READ | unknown: 0x4) (B1 | B4) {.few=(READ | unknown: 0x4), .many=(B1 | B4), .mask=5, .low=5, .nothing=(unknown: 0x5)}
(WRITE | unknown: 0x4) (B2 | B4) {.few=(WRITE | unknown: 0x4), .many=(B2 | B4), .mask=6, .low=6, .nothing=(unknown: 0x6)}
(WRITE | unknown: 0x10) (B2 | B16) {.few=(WRITE | unknown: 0x10), .many=(B2 | B16), .mask=18, .low=18, .nothing=(unknown: 0x12)}
(READ | unknown: 0x80000008) (B1 | B8 | TOP) {.few=(READ | unknown: 0x80000008), .many=(B1 | B8), .mask=2147483657, .low=-2147483639, .nothing=(unknown: 0x80000009)}
(WRITE | unknown: 0xfffffffc) (B2 | B4 | B8 | B16 | TOP | unknown: 0x7fffffe0) {.few=(WRITE | unknown: 0xfffffffc), .many=(B2 | B4 | B8 | B16 | unknown: 0x20), .mask=4294967294, .low=-2, .nothing=(unknown: 0xfffffffe)}
END
cat >>wanted <<'END'
(READ | WRITE)=0x3
(READ | unknown: 0x4)=0x5
(READ | unknown: 0x80000008)=0x80000009
(WRITE | unknown: 0x10)=0x12
(WRITE | unknown: 0x4)=0x6
(WRITE | unknown: 0xfffffffc)=0xfffffffe
NONE=0x0
READ=0x1
WRITE=0x2
(B1 | B2)=0x3
(B1 | B4)=0x5
(B1 | B8 | TOP)=0x80000009
(B2 | B16)=0x12
(B2 | B4 | B8 | B16 | TOP | unknown: 0x7fffffe0)=0xfffffffe
(B2 | B4)=0x6
0=0x0
B1=0x1
B2=0x2
END
same() # COMPILER...
{
	"$@" -g -O1 -w -o prog prog.c || fail "$*"
	expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c ./prog flags.stp
	quiet
	diff wanted out || fail "values differ: $*"
}
same gcc
# The types of these have a sign.
sed -i 's/^enum few/& : int/; s/all = .*;/all = { (enum few)n, (enum many)(n \& 0x3f), (enum mask)n, (enum low)n, (enum nothing)n };/
	s/take(&all, n, n)/take(\&all, (enum few)n, (enum many)n)/' prog.c
same g++ -x c++
