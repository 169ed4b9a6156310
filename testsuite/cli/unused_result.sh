# SPDX-License-Identifier: GPL-2.0-or-later
# gcc and clang leave out the result of a static function that no caller uses, or knows otherwise, and debug information goes on to tell of it.
# What the code behind the calls does says whether it is there.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "needs an x86_64"
cat >p.c <<'E'
#define N static __attribute__((noinline))
struct s { int a, b; long c[6]; };
struct pair { long a, b; };
volatile int sink;
int kept;
N int unused(struct s *p) { sink += p->a; return p->b * 4; }
N int used(struct s *p) { sink += p->a; return p->b * 3; }
N int sometimes(struct s *p) { sink -= p->a; return p->b * 5; }
N int passed(struct s *p) { sink += p->b; return p->a * 7 + sink; }
__attribute__((noinline)) int gives(struct s *p) { sink++; return passed(p); }
N char beside(struct s *p) { asm volatile("" ::: "memory"); return (char)kept; } // changes no register that its caller keeps something in
N struct pair two(struct s *p) { sink ^= p->a; return (struct pair){ p->a, p->b }; }
int main(void)
{
	struct s s = { 1, 2 };

	for (int i = 0; i < 3; i++) {
		s.a = i;
		unused(&s);
		sink += used(&s);
		sometimes(&s);
		if (sometimes(&s) > 3)
			sink++;
		int more = sink;
		beside(&s);
		sink = more + gives(&s);
		two(&s);
	}
	return 0;
}
E
gcc -g -O2 -o p p.c || fail "gcc"
[ "$(nm p | grep -cE ' (unused|sometimes|passed|beside|two)\..*isra')" = 5 ] || skip "needs a gcc that changes these functions (-fipa-sra)"
expect 0 "$SPILE" -c ./p -e 'global n
probe process("./p").function("used").return, process("./p").function("sometimes").return { n[ppfunc(), $return]++ }
probe process("./p").function("passed").return { n[ppfunc(), @defined($return)]++ }
probe process("./p").function("unused").return, process("./p").function("beside").return, process("./p").function("two").return {
	if ($$return == "return=?") n[ppfunc(), @defined($return)]++
}
probe end { foreach ([f+, value] in n) println(f, " ", value, " ", n[f, value]) }'
is "beside 0 3
passed 1 3
sometimes 10 6
two 0 3
unused 0 3
used 6 3"
refuses()
{
	expect 1 "$SPILE" -p2 -e "probe process(\"./p\").function(\"$1\").return { println(\$return) }"
	says "^semantic error: \\\$return of $1 is $2: $3 $1\.[a-z0-9.]*isra\.[0-9]+ \[E502\]\$"
}
refuses unused "left out" "no caller uses it, and the compiler has made the function"
refuses two "perhaps left out" "no caller uses it, and the compiler has made the function"
gcc -g -O2 -fno-ipa-sra -o p p.c || fail "gcc -fno-ipa-sra"
expect 0 "$SPILE" -c ./p -e 'global n probe process("./p").function("unused").return { n[$return]++ } probe end { println(n[8]) }'
is 3

cat >q.c <<'E'
#define N static __attribute__((noinline))
volatile int sink;
volatile double more;
int kept[4];
N int constant(int x) { sink += x; return 0; }
N double half(int x) { sink ^= x; return 2.5; }
N int *same(int *p) { sink += *p; return p; }
N int real(int x) { sink += 2 * x; return sink + 1; }
N double number(int x) { sink += 2 * x; return sink * 0.5; }
N int called(int x) { sink -= x; return 7; } // by its address alone
int (*volatile pointer)(int) = called;
N int both(int x) { sink -= 3 * x; return x * 5; } // and so is this one
int (*const table[2])(int) = { both, called };
int main(int n, char **v)
{
	for (int i = 0; i < 3; i++) {
		sink += constant(i) > 1;
		more += half(i);
		sink += *same(&kept[n]);
		sink += real(i);
		more += number(i);
		both(i);
		sink += pointer(i) + table[n & 1](i);
	}
	return 0;
}
E
for compiler in clang-19 clang-15 clang-14 clang; do
	command -v $compiler >/dev/null || continue
	for options in "-O1" "-O2" "-O2 -fno-pie -no-pie"; do
		$compiler -g $options -o q q.c || fail "$compiler $options"
		expect 0 "$SPILE" -w --engine=user -c ./q -e 'global text, n
		probe process("./q").function("real").return, process("./q").function("called").return, process("./q").function("both").return {
			n[ppfunc()]++
			if ($return != (ppfunc() == "called" ? 7 : ppfunc() == "both" ? @entry($x) * 5 : @var("sink") + 1)) println(ppfunc(), " ", $return) }
		probe process("./q").function("number").return {
			n[ppfunc()]++
			if ($$return !~ "^return=[0-9.]+$") println($$return) }
		probe process("./q").function("constant").return, process("./q").function("half").return, process("./q").function("same").return {
			if ($$return == "return=?") n[ppfunc()]++ else println(ppfunc(), " ", $$return) }
		probe end { foreach (f+ in n) text .= sprintf("%s %d ", f, n[f]) println(text) }'
		is "both 3 called 6 constant 3 half 3 number 3 real 3 same 3 "
	done
done
