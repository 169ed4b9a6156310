# SPDX-License-Identifier: GPL-2.0-or-later
# In guests programs are at the same addresses each time (run-in-vm). Here they are at random ones, other ones each time, and
# one object finds variables and names addresses in all of them.
. "$SUITE/lib.sh"
old=$(cat /proc/sys/kernel/randomize_va_space)
trap 'echo "$old" >/proc/sys/kernel/randomize_va_space' EXIT
echo 2 >/proc/sys/kernel/randomize_va_space

gcc -g -fno-omit-frame-pointer -pie -fPIE -o moves -x c - <<'C' || fail "no program"
#include <stdlib.h>

int counter = 7;

int compare(const void *a, const void *b)
{
	counter++;
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int numbers[] = { 2, 1 };

	qsort(numbers, 2, sizeof(numbers[0]), compare);
	return 0;
}
C
cat >moves.stp <<'STP'
probe process("./moves").function("compare") { printf("%d %p\n", $counter, &$counter) print_ubacktrace() }
probe process("./moves").library("libc.so.6").function("qsort") { println(usymname(uaddr())) }
STP
expect 0 "$SPILE" -p4 -o moves.spo moves.stp
for run in 1 2 3; do
	expect 0 "$SPILE_RUN" -c ./moves moves.spo
	prints '^7 0x'
	prints '^qsort$'
	prints "^ 0x[0-9a-f]+ : compare\+0x[0-9a-f]+/0x[0-9a-f]+ \[$PWD/moves\]$"
	prints "^ 0x[0-9a-f]+ : main\+0x[0-9a-f]+/0x[0-9a-f]+ \[$PWD/moves\]$"
	sed -n 's/^7 //p' out >>places
done
[ "$(sort -u places | wc -l)" -gt 1 ] || fail "the program was at the same address each time: $(paste -sd' ' places)"
