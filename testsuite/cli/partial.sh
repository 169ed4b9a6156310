# SPDX-License-Identifier: GPL-2.0-or-later
# What gcc cuts off a function ("put.part.0"), to have its head inlined, is no function of its own: a call that gets there counts once.
. "$SUITE/lib.sh"
cat >p.c <<'EOF'
#include <stdlib.h>
struct node { struct node *next; int n, m; };
volatile int sink;
int put(struct node *at)
{
	if (!at || at->n)
		return 0;
	for (int i = 0; i < 10; i++) {
		sink += at->m * i;
		if (sink > 1000)
			sink = abs(sink) % 7 + at->m;
	}
	for (struct node *p = at->next; p; p = p->next)
		sink += p->m ^ sink;
	at->m = sink;
	return at->m + 1;
}
__attribute__((noipa)) int one(struct node *at) { return put(at) + 1; }
__attribute__((noipa)) int two(struct node *at) { return put(at) * 2; }
int (*volatile by_pointer)(struct node *at) = put;
int main(void)
{
	struct node slow = { 0 }, fast = { .n = 1 };
	for (int i = 0; i < 5; i++)
		sink += one(&fast) + two(&slow) + by_pointer(&fast) + by_pointer(&slow) + one(NULL);
	return 0;
}
EOF
gcc -g -O2 -o p p.c || fail "gcc"
nm p | grep -q ' t put\.part\.0$' || skip "this gcc cuts nothing off"
script='global n, calls, returns
probe process("./p").function("put") { n++ }
probe process("./p").function("put").call { calls++ }
probe process("./p").function("put").return { returns++ }
probe end { println(n, " ", calls, " ", returns) }'
for engine in kernel user; do
	[ $engine = user ] || [ "$(id -u)" = 0 ] || continue
	expect 0 "$SPILE" --engine=$engine -c ./p -e "$script"
	is "25 10 10"
done

# One that gcc cut off and put back ("put" is only called by its address) is no call either, and what it calls, put() calls.
cat >back.c <<'EOF'
struct node { struct node *next; int n, m; };
volatile int sink;
__attribute__((noipa)) int work(int n) { return n + sink; }
int put(struct node *at)
{
	if (!at || at->n)
		return 0;
	for (int i = 0; i < 10; i++)
		sink += work(at->m * i);
	for (struct node *p = at->next; p; p = p->next)
		sink += p->m ^ sink;
	at->m = sink;
	return at->m + 1;
}
int (*volatile by_pointer)(struct node *at) = put;
int down(int n) { return n ? down(n - 1) * sink + n : sink; }
int main(int argc, char **argv)
{
	struct node slow = { 0 }, fast = { .n = 1 };
	for (int i = 0; i < 5; i++)
		sink += by_pointer(&fast) + by_pointer(&slow);
	sink = down(argc + 20) + !argv;
	return 0;
}
EOF
gcc -g -O2 -o back back.c || fail "gcc"
expect 0 "$SPILE" -l 'process("./back").function("put").*'
is "process(\"$PWD/back\").function(\"put@$PWD/back.c:4\").call
process(\"$PWD/back\").function(\"put@$PWD/back.c:4\").callee(\"work@$PWD/back.c:3\")
process(\"$PWD/back\").function(\"put@$PWD/back.c:4\").exported
process(\"$PWD/back\").function(\"put@$PWD/back.c:4\").return"
expect 0 "$SPILE" -c ./back -e 'global n, downs, stack
probe process("./back").function("put") { n++ }
probe process("./back").function("down") { downs++ }
probe process("./back").function("work") { stack = sprint_ubacktrace() }
probe end { n_puts = 0; for (line = tokenize(stack, "\n"); line != ""; line = tokenize("", "\n")) n_puts += isinstr(line, "put")
	println(n, " ", downs, " ", n_puts) }'
is "10 22 1"
