# SPDX-License-Identifier: GPL-2.0-or-later
# What @entry() keeps of processes that end inside of the function makes room for others, in place of filling the array.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >prog.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n) { if (n == 1) _exit(0); __asm__("" ::: "memory"); return n ? 1 + work(n - 1) : 0; }
__attribute__((noinline)) int other(int n) { __asm__("" ::: "memory"); return n; }
int main(void)
{
	for (int i = 0; i < 700; i++) {
		if (!fork())
			return work(2);
		wait(0);
	}
	return work(0) + other(3) != 3;
}
C
gcc -g -O1 -fno-optimize-sibling-calls -o prog prog.c || fail gcc
expect 0 timeout 100 "$SPILE" --engine=$ENGINE -D MAXMAPENTRIES=64 -c ./prog -e 'global n
probe process("./prog").function("work") { n++ }
probe process("./prog").function("work").return, process("./prog").function("other").return { printf("%d %s\n", @entry($n), @entry(sprint($n))) }
probe end { println(n) }'
is "0 0
3 3
1401"
quiet
