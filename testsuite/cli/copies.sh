# SPDX-License-Identifier: GPL-2.0-or-later
# A statement of which the optimiser has made copies, by unrolling a loop or for several ways to it: a probe of its line is on all.
. "$SUITE/lib.sh"
cat >prog.c <<'C'
struct node { struct node *next; };
volatile int sink;
__attribute__((noinline)) static int sum(int n, int *p)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += p[i] * 3;
	return s;
}
__attribute__((noinline)) static void four(int n)
{
	for (int i = 0; i < 4; i++)
		sink = n + i;
}
__attribute__((noinline)) static struct node *reversed(struct node *l)
{
	struct node *p = 0;

	while (l) {
		struct node *next = l->next;
		l->next = p;
		p = l;
		l = next;
	}
	return p;
}
int main(int argc, char **argv)
{
	int values[13] = { 1, 2, 3 };
	struct node nodes[5] = { { nodes + 1 }, { nodes + 2 }, { nodes + 3 }, { nodes + 4 }, { 0 } };

	four(argc);
	return sum(argc + 12, values) == 0 || reversed(nodes) != nodes + 4;
}
C
for flags in -O0 -O1 -O2 '-O3 -funroll-all-loops'; do
	gcc -g $flags -fno-tree-vectorize -o prog prog.c
	expect 0 timeout 60 "$SPILE" --engine=user -c ./prog -e 'global n
probe process.statement("sum@*:8") { n["sum"]++ }
probe process.statement("four@*:14") { n["four"]++ }
probe process.statement("reversed@*:22") { n["reversed"]++ }
probe end { foreach (f+ in n) println(f, " ", n[f]) }'
	quiet
	is 'four 4
reversed 5
sum 13'
done
# Each place is listed once, and shown with one mark.
expect 0 "$SPILE" -l 'process("./prog").statement("four@*:14")'
is "process(\"$TMP/prog\").statement(\"four@$TMP/prog.c:14\")"
