# SPDX-License-Identifier: GPL-2.0-or-later
# Pointers among the keys of an array: they keep their type in foreach, and are addresses at the end.
. "$SUITE/lib.sh"
compgen -c gcc | grep -qx gcc || skip "needs gcc"
cat >prog.c <<'C'
#include <stdlib.h>
#include <sys/mman.h>
struct node { int value; struct node *next; };
volatile int sink;
__attribute__((noipa)) void visit(struct node *node, int number) { sink = node->value + number; }
int main(void)
{
	struct node *nodes = mmap((void *)0x12340000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	nodes[0] = (struct node){ 7, &nodes[1] };
	nodes[1] = (struct node){ 9, NULL };
	visit(nodes, 100);
	visit(nodes + 1, 200);
	return 0;
}
C
gcc -g -O1 -o prog prog.c
cat >keys.stp <<'STP'
global by, both, seen
probe process(@1).function("visit") {
	by[$node] += $number
	both[$number, $node] = $number
	if ($number == 100)
		seen[$node] = $number
	else
		foreach (node in seen)
			printf("%d %d\n", node->value, seen[node])
}
STP
expect 0 timeout 30 "$SPILE" -c "$PWD/prog" keys.stp "$PWD/prog"
is '7 100
by[0x12340010]=200
by[0x12340000]=100
both[200,0x12340010]=200
both[100,0x12340000]=100'
