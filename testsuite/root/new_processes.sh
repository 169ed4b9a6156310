# SPDX-License-Identifier: GPL-2.0-or-later
# A new process comes back from the call that made it, too: syscall.fork.return and its like are the caller's alone, process.syscall.return has both.
. "$SUITE/lib.sh"
cat >new.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 2; i++)
		if (!vfork())
			_exit(0);
	if (!syscall(SYS_fork))
		_exit(0);
	if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
		_exit(0);
	while (wait(0) > 0)
		;
	return 0;
}
C
sed -i '1i #include <signal.h>' new.c
gcc -O1 -o new new.c || fail gcc
cat >alias.stp <<'END'
global n
probe syscall.vfork.return, syscall.fork.return, syscall.clone.return { if (target_set_pid(pid())) n[name, retval > 0]++ }
probe end { foreach ([call+, is_caller] in n) printf("%s %d %d\n", call, is_caller, n[call, is_caller]) delete n }
END
expect 0 "$SPILE" -c ./new alias.stp
is "clone 1 1
fork 1 1
vfork 1 2"
cat >all.stp <<'END'
global n
probe process("./new").syscall.return { if ($syscall >= 56 && $syscall <= 58) n[$syscall, $return > 0]++ }
probe end { foreach ([call+, is_caller] in n) printf("%d %d %d\n", call, is_caller, n[call, is_caller]) delete n }
END
for engine in kernel user; do
	expect 0 "$SPILE" --engine=$engine -c ./new all.stp
	sort -n out >sorted
	printf '%s\n' "56 0 1" "56 1 1" "57 0 1" "57 1 1" "58 0 2" "58 1 2" | diff sorted - || fail "$engine"
done
