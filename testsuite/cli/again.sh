# SPDX-License-Identifier: GPL-2.0-or-later
# A system call that is made again, because signals came that the program ignores, waits for what is left of its time, not for all of it each
# time. The program finds its registers as they were.
. "$SUITE/lib.sh"
trap 'kill -KILL $target $tracer 2>/dev/null' EXIT
gcc -O1 -o again -x c - <<'C' || fail gcc
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
__attribute__((noipa)) void hit(void)
{
}
// again NUMBER MILLISECONDS
int main(int argc, char **argv)
{
	long ms = atol(argv[2]), number = atol(argv[1]), first, set = 1 << 9, events[4];
	struct timespec span = { ms / 1000, ms % 1000 * 1000000 };
	int file = epoll_create1(0), is_epoll = number == SYS_epoll_wait;
	hit();
	register long fourth __asm__("r10") = is_epoll ? ms : 8;
	long before = fourth, result = number, second = is_epoll ? (long)events : 0, third = is_epoll ? 1 : (long)&span;
	first = is_epoll ? file : (long)&set;
	__asm__ volatile("syscall" : "+a"(result), "+D"(first), "+S"(second), "+d"(third), "+r"(fourth) : : "rcx", "r11", "memory");
	printf("%ld%s\n", result, fourth == before ? "" : ", another register");
	return 0;
}
C
is_asleep() { grep -q "^$1 " /proc/$target/syscall; }
is_asleep_or_gone() { ended $target || is_asleep $1; }
# What the last signal has led to, before the next one wakes it: the file of one that is about to run says `running`.
is_shorter()
{
	read -r call x x x left x </proc/$target/syscall && [ "$call" = 232 ] && [ $((left)) -lt $1 ] && return
	kill -WINCH $target
	return 1
}
is_traced_or_gone() { ended $target || grep -q "^TracerPid:[[:space:]]*[1-9]" /proc/$target/status; }
start() # NUMBER MILLISECONDS
{
	./again $1 $2 >said &
	target=$!
	wait_for 20 is_asleep_or_gone $1
	"$SPILE_RUN" -x $target x.spo 2>err &
	tracer=$!
	wait_for 20 is_traced_or_gone
	! ended $target || start $1 $(($2 * 2)) # this machine is slow
}
expect 0 "$SPILE" --engine=user -p4 -o x.spo -e 'probe process("./again").function("hit") { println(1) }'
start 232 200000
wait_for 20 is_shorter 200000
wait_for 20 is_shorter $((left))
kill -INT $tracer
wait_for 20 ended $tracer
wait_for 20 is_asleep 232
[ $(($(awk '{ print $5 }' /proc/$target/syscall))) = 200000 ] || fail "another register: $(cat /proc/$target/syscall)"
kill $target
for number in 232 128; do
	start $number 1000
	while kill -WINCH $target 2>/dev/null; do sleep 0.05; done
	wait $target || fail "the target: $?"
	wait $tracer || fail "spile-run: $(cat err)"
	[ "$(cat said)" = $([ $number = 232 ] && echo 0 || echo -11) ] || fail "call $number: $(cat said)"
done
