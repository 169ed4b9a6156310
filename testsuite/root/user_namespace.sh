# SPDX-License-Identifier: GPL-2.0-or-later
# A user's number in a namespace of users that is told of in more ranges than the five that the kernel keeps in place.
. "$SUITE/lib.sh"
cat >inside.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <unistd.h>

int main(void)
{
	if (unshare(CLONE_NEWUSER))
		return 1;
	write(1, "\n", 1);
	for (;;) {
		usleep(10000);
		getppid();
	}
}
C
gcc -o inside inside.c 2>/dev/null || skip "no gcc"
exec {from}< <(exec ./inside)
inside=$!
read -r -t 10 -u "$from" || skip "no namespaces of users here"
for i in 1 2 3 4 5 6; do
	echo "$((500 + i)) $((i == 6 ? 0 : 1000 + i)) 1"
done | dd bs=4096 iflag=fullblock of="/proc/$inside/uid_map" 2>/dev/null || { kill "$inside"; fail "the map of users"; }
echo '70 0 1' >"/proc/$inside/gid_map"
expect 0 timeout 60 "$SPILE" -e 'probe kernel.trace("sys_enter") {
	if (pid() == $1 && !told++) { println(uid(), " ", ns_uid(), " ", task_ns_euid(task_current()), " ", ns_gid()) exit() }
} global told' "$inside"
kill "$inside"
is '0 506 506 70'
