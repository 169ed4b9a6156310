# SPDX-License-Identifier: GPL-2.0-or-later
# One probe statement of several points does at each what a statement of that point alone does: whose variables are elsewhere,
# or have another layout, has code of its own.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"

cat >one.c <<'C'
struct s { int a; int b; };
static volatile int dup = 1;
__attribute__((noinline)) int f(const char *p, int a) { __asm__ volatile("" ::: "memory"); return p[a] + dup; }
__attribute__((noinline)) int take_one(struct s *s) { __asm__ volatile("" ::: "memory"); return s->a + s->b; }
C
cat >two.c <<'C'
struct s { long pad; int b; int a; };
static volatile int dup = 2;
int f(const char *p, int a), take_one(void *s);
__attribute__((noinline)) int g(int a, const char *p) { __asm__ volatile("" ::: "memory"); return p[a] + dup; }
__attribute__((noinline)) int take_two(struct s *s) { __asm__ volatile("" ::: "memory"); return s->a + s->b; }
int main(void)
{
	int one[] = { 11, 12 };
	struct s two = { 0, 22, 21 };

	return f("first", 1) + g(2, "second") + take_one(one) + take_two(&two) == 0;
}
C
gcc -g -O2 -o sites one.c two.c || exit 1
run() { expect 0 "$SPILE" --engine=user -c ./sites "$@"; quiet; }

# Each handler at two points at once, and at one after the other.
both() # POINT POINT BODY [MORE]
{
	run -e "probe process(\"./sites\").$1, process(\"./sites\").$2 { $3 } ${4-}"
	cp out at-once
	run -e "probe process(\"./sites\").$1 { $3 } probe process(\"./sites\").$2 { $3 } ${4-}"
	cmp -s at-once out || { echo "$3"; diff at-once out; exit 1; }
}

functions='function("f") function("g")'
both $functions 'printf("%d %d\n", user_string($p) =~ "ir", $a)'
is "$(printf '1 1\n0 2')"
both $functions 'n[user_string($p)] <<< $a' 'global n probe end { foreach (k in n+) println(k, " ", @sum(n[k])) }'
is "$(printf 'first 1\nsecond 2')"
both $functions 'n[user_string($p)]++; printf("%d %d %d\n", n[user_string($p)], user_string($p) in n, @defined($p))' 'global n'
is "$(printf '1 1 1\n1 1 1')"
both $functions 'println(sprintf("%s.", user_string($p)) . $$parms$)'
is "$(printf 'first.p="first" a=1\nsecond.a=2 p="second"')"
both 'function("f").return' 'function("g").return' 'println(@entry(user_string($p)), " ", @entry($a), " ", $return)'
is "$(printf 'first 1 106\nsecond 2 101')"
both 'function("take_one")' 'function("take_two")' 'println($s$, " ", $s->a, " ", @cast($s, "struct s")->b)'
is "$(printf '{.a=11, .b=12} 11 12\n{.pad=0, .b=22, .a=21} 21 22')"
both $functions 'println(f(), ppfunc(), is_return(), pp() =~ "sites")' 'function f() { return user_string($p) }'
is "$(printf 'firstf01\nsecondg01')"

# @var("x") is what $x is there: a parameter, a static of the function's own file.
both $functions 'println(user_string(@var("p")), @var("dup"), @defined(@var("a")), @var("dup@one.c"))'
is "$(printf 'first111\nsecond211')"
both 'function("f").return' 'function("g").return' 'println(@entry(@var("a")), @var("a"), " ", @entry(@var("dup")))'
is "$(printf '11 1\n22 2')"

# Whether a value can be read is decided once: @defined asks, and what it says holds. A structure in registers has elements,
# too, whatever the index is.
cat >pair.c <<'C'
struct pair { int a[2]; };
struct four { short m[2][2]; };
__attribute__((noinline)) int sum(struct pair s, int i) { __asm__ volatile("" ::: "memory"); return s.a[0] + s.a[1] * i; }
__attribute__((noinline)) int cell(struct four f, int i) { __asm__ volatile("" ::: "memory"); return f.m[0][1] + f.m[1][1] * i; }
int main(void) { return sum((struct pair){ { 41, -42 } }, 1) + cell((struct four){ { { 1, 2 }, { 3, -4 } } }, 1) == 1; }
C
gcc -g -O2 -o pair pair.c || exit 1
pair() { expect 0 "$SPILE" --engine=user -c ./pair -e "probe process(\"./pair\").function(\"$1\") { $2 }"; }
pair sum 'println(@defined($s->a[$i]) ? $s->a[$i] : -1, " ", $s->a[0], " ", $s->a[$i - 1])'
is "-42 41 41"
pair cell 'for (i = 0; i < 4; i++) printf("%d ", $f->m[i / 2][i % 2])'
is "1 2 3 -4 "
expect 1 "$SPILE" --engine=user -c ./pair -e 'probe process("./pair").function("sum") { println($s->a[$i + 1]) }'
says '^ERROR: the index of \$s->a\[\$i \+ 1\] is outside of the array, which is in registers$'
