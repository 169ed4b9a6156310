# SPDX-License-Identifier: GPL-2.0-or-later
# System calls of a program that runs already are seen from the first one on; that which it is in returns, and is not made once more. A program
# that met no other probe told none of its calls.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
gcc -O1 -o calls -x c - <<'C' || fail gcc
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int fd = open("pipe", O_RDWR);
	struct pollfd file = { fd, POLLIN, 0 };
	char byte;
	for (;;) {
		if (argc > 1)
			syscall(SYS_poll, &file, 1, 1000000);
		if (read(fd, &byte, 1) != 1)
			return 1;
		if (byte == 'e')
			return 0;
		syscall(SYS_getppid);
	}
}
C
mkfifo pipe
exec 9<>pipe
sleeps() { grep -q "^$1 " "/proc/$target/syscall"; }
for call in 0 7; do
	./calls $([ $call = 0 ] || echo polls) &
	target=$!
	trap 'kill -9 $target 2>/dev/null' EXIT
	wait_for 10 sleeps $call
	"$SPILE" -w --engine=$ENGINE -x $target -e '
probe process.begin { println("met") }
probe process.syscall { println("makes ", $syscall) if ($syscall == 110) exit() }
probe process.syscall.return { println("returns from ", $syscall) }' >out 2>err &
	spile=$!
	wait_for 20 grep -q met out
	until ended $spile; do # it may not have been traced yet
		echo -n 1 >&9
		sleep 0.2
	done
	wait $spile || fail "status $?: $(cat err)"
	# Its return is not seen if it was over when the thread stopped.
	seen=$(grep -vx "returns from $call" out | paste -sd ' ')
	[ "$seen" = "met $([ $call = 0 ] || echo 'makes 0 returns from 0 ')makes 110" ] || fail "$seen"
	echo -n e >&9
	wait $target || fail "the target: $?"
done
