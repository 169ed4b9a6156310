# SPDX-License-Identifier: GPL-2.0-or-later
# spile in a PID namespace of its own, where the kernel's pids are not known: it says whose events are told.
. "$SUITE/lib.sh"
unshare --pid --fork --mount-proc true 2>/dev/null || skip "no PID namespace can be made here"
cat >known.c <<'C'
#include <unistd.h>
__attribute__((noinline)) int step(int n) { __asm__ volatile("" ::: "memory"); return n; }
int main(void) { for (int i = 0; i < 6000; i++) { step(i); usleep(10000); } return 0; }
C
gcc -g -O1 -o known known.c || fail gcc
cat >inside <<'S'
./known & p=$!
./known & q=$!
echo $p >target
"$SPILE" --engine=kernel -T 60 -x $p "$@"; status=$?
kill $p $q
exit $status
S
inside() { expect 0 timeout 100 unshare --pid --fork --mount-proc bash inside "$@"; }
why='this process is in a PID namespace of its own, and the kernel reports pids of the first one'

inside -e 'probe process("./known").function("step") { if (ns_pid() != target()) others++; if (++n == 20) exit() } global n, others probe end { println(others) }'
is 0
says "^WARNING: process probes see the process of -x, without its children: $why\$"
# Events are of all processes.
inside -e 'probe process("./known").function("step") { if (ns_pid() != target()) others++; if (++n == 20) exit() } global n, others
	probe process.end { if (0) exit() println("an end") } probe end { println(others) }'
prints '^0$'
says "^WARNING: process probes see all processes, not only that of -x \\(in its functions and marks: without its children\\): $why\$"
