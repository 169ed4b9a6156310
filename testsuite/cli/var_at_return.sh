# SPDX-License-Identifier: GPL-2.0-or-later
# At a return, $x of static data is what it was at the entry, and @var("x") what it is then; also of a program of which only the entry
# tells where it was loaded.
. "$SUITE/lib.sh"
cat >g.c <<'EOF'
struct pair { int a, b; } pair = { 1, 2 };
int counter = 1, list[3] = { 7, 8, 9 };
static int own = 5;
__attribute__((noipa)) int add(int n)
{
	static volatile int inner = 3;

	inner += n;
	counter += n;
	pair.b = own += n;
	list[2] = counter;
	return n > 0 ? add(-n) : counter;
}
int main(void) { return add(10) - 1; }
EOF
cat >g.stp <<'EOF'
probe process("./g").function("add").return
{
	printf("%d: %d %d, %d %d, %d %d, %d %d, %d\n", @entry($n), $counter, @var("counter"), $pair->b, @var("pair")->b, $own, @var("own@g.c"),
	       $list[2], @var("list")[2], @entry(@var("counter")))
	println($pair$, " ", @var("pair")$, " ", @defined(@var("counter")) + @defined($counter), @defined(@var("nothing")), @choose_defined($nothing, 3),
		" ", &@var("counter") == &$counter, " ", user_int32(&@var("pair")->b), " ", $inner, " ", @var("inner"))
}
EOF
for kind in -pie -no-pie; do
	gcc -g -O1 $kind -o g g.c || fail "gcc $kind"
	for engine in kernel user; do
		[ $engine = user ] || [ "$(id -u)" = 0 ] || continue
		expect 0 "$SPILE" --engine=$engine -c ./g g.stp
		is "-10: 11 1, 15 5, 15 5, 11 1, 11
{.a=1, .b=15} {.a=1, .b=5} 203 1 5 13 3
10: 1 1, 2 5, 5 5, 9 1, 1
{.a=1, .b=2} {.a=1, .b=5} 203 1 5 3 3"
	done
done
