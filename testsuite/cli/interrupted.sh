# SPDX-License-Identifier: GPL-2.0-or-later
# System calls that end with EINTR when their thread stops, or meets a signal that the program ignores, as it does only while it is traced,
# are made again: the program sees what it sees without a tracer. A signal that it handles interrupts them as ever.
. "$SUITE/lib.sh"
trap 'touch go; kill -KILL $target $tracer 2>/dev/null' EXIT
asleep=$PROGS/asleep
expect 0 "$SPILE" --engine=user -p4 -m wake -e "probe process(\"$asleep\").function(\"wake\") { println(\"woken\") }"
for call in epoll_wait semtimedop sigtimedwait; do
	for how in child handled; do
		"$asleep" $call 400 $how >native
		expect 0 "$SPILE_RUN" -c "$asleep $call 400 $how" wake.spo
		prints '^woken$'
		grep -v woken out >traced
		cmp -s native traced || fail "$call, $how: $(cat traced), natively $(cat native)"
	done
done
grep -q 'Interrupted' native || fail "a handled signal: $(cat native)"

# One that has woken between the look and the stop, and has made another call. In the second case it does not stop: nobody waits for that.
! grep -q -e -fsanitize "$BUILD/Makefile" || exit 0 # the sanitizers come before what is preloaded
cat >race.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>
long ptrace(enum __ptrace_request request, ...)
{
	static int done;
	long (*real)(int, pid_t, void *, void *) = dlsym(RTLD_NEXT, "ptrace");
	__builtin_va_list list;
	__builtin_va_start(list, request);
	pid_t tid = __builtin_va_arg(list, pid_t);
	void *address = __builtin_va_arg(list, void *), *data = __builtin_va_arg(list, void *);
	__builtin_va_end(list);
	if (request == PTRACE_INTERRUPT && !done++) {
		char path[64];
		int number = -1, fd = open("input", O_WRONLY);
		if (write(fd, "\n", 1) != 1)
			abort();
		snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
		while (number != atoi(getenv("UNTIL"))) {
			FILE *file = fopen(path, "r");
			if (!file || fscanf(file, "%d", &number) != 1)
				number = -1;
			if (file)
				fclose(file);
		}
	}
	return real(request, tid, address, data);
}
C
gcc -shared -fPIC -o race.so race.c || fail gcc
mkfifo input
is_asleep() { grep -q '^7 ' /proc/$target/syscall; }
is_deep() { grep -q '^56 ' /proc/$target/syscall; }
# race CALL NUMBER
race()
{
	"$asleep" $1 400 input <>input >said &
	target=$!
	wait_for 20 is_asleep
	UNTIL=$2 LD_PRELOAD=$PWD/race.so "$SPILE_RUN" -x $target wake.spo >out 2>err &
	tracer=$!
}
race epoll_wait 232
wait $target || fail "the target died: $?"
wait $tracer || fail "spile-run: $(cat err)"
[ "$(cat said)" = Success ] || fail "epoll_wait: $(cat said)"
race vfork 56
wait_for 20 is_deep
kill -INT $tracer
wait_for 20 ended $tracer
touch go
wait $target || fail "the target died: $?"
