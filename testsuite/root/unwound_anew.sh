# SPDX-License-Identifier: GPL-2.0-or-later
# A program that is built anew while the script runs, and keeps its inode, is unwound in the kernel by its new tables.
. "$SUITE/lib.sh"
cat >program.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline, noclone)) long leaf(long i)
{
#ifdef LARGE
	volatile char much[300];
	for (int k = 0; k < 300; k++)
		much[k] = k;
	i += much[i & 127];
#endif
	syscall(SYS_getppid);
	return i + 1;
}
__attribute__((noinline, noclone)) long OUTER(long i) { return leaf(i) * 3; }
int main(void)
{
	for (int i = 0; i < 60; i++) {
		OUTER(i);
		usleep(20000);
	}
	return 0;
}
C
gcc -O2 -fomit-frame-pointer -DOUTER=small_outer -o small program.c || skip "no gcc"
gcc -O2 -fomit-frame-pointer -DOUTER=large_outer -DLARGE -o large program.c
cp small unwound
cat >stacks.stp <<'S'
probe begin { println("begin") }
probe syscall.getppid { if (execname() == "unwound") print_ubacktrace() }
S
timeout 100 "$SPILE" stacks.stp >out 2>err & spile=$!
trap 'kill $spile 2>/dev/null' EXIT
wait_for 300 grep -q '^begin' out
./unwound
cp large unwound # in place
./unwound
kill -INT $spile
wait $spile || fail "exit status $?"
prints ': small_outer\+0x.*unwound\]$'
prints ': large_outer\+0x.*unwound\]$'
prints ': main\+0x.*unwound\]$'
exit 0
