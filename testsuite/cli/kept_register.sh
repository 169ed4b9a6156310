# SPDX-License-Identifier: GPL-2.0-or-later
# A parameter of which debug information names one register for the whole function: where that is one that functions keep for their
# callers, it has the caller's value when the function is entered. gcc says so of some clones, of which it has left out parameters.
. "$SUITE/lib.sh"
cat >p.c <<'E'
struct s { int a, b; long c[5]; };
volatile long sum;
volatile int sink;
static __attribute__((noinline)) void points(struct s *p) { sum += p != 0; }
static double far(double d, int a) { if (sink == 123456) __builtin_abort(); return d; }
struct s passes(struct s v, int a)
{
	sum += a;
	int i = a;
	if (i > 2) { sink += (int)far(i * 0.5, i); }
	for (int k = 0; k < 2; k++) { sink += i; }
	return v;
}
static inline long both(int a, long b)
{
	int i = a;
	if (i > 2) { { struct s l = { .a = i }; l = passes(l, i); sink += l.a; } }
	for (int k = 0; k < 2; k++) { { struct s l = { .a = i, .b = sink & 3 }; points(&l); } }
	return i;
}
static __attribute__((noinline)) long cut(int a, long b)
{
	int i = a;
	sink += (int)both(i, sink);
	return i;
}
int main(void)
{
	for (int i = -2; i < 9; i++)
		sink += (int)cut(i, sink);
	return 0;
}
E
gcc -g -O2 -w -o p p.c || fail "gcc"
expect 0 "$SPILE" -c ./p -e 'global right, wrong, other
probe process("./p").function("cut") { if (!@defined($a)) other++; else if ($a == right + wrong + other - 2) right++; else wrong++ }
probe end { println(right + other, " ", wrong) }'
is "11 0"
"$SPILE" -p2 -e 'probe process("./p").function("cut") { println($a) }' >/dev/null 2>err
[ $? = 0 ] || says '^semantic error: \$a has no value at the start of cut: gets its place behind the function.s entry \[E502\]$'
