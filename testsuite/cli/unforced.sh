# SPDX-License-Identifier: GPL-2.0-or-later
# Where the kernel is told that nobody writes to code through /proc/PID/mem (proc_mem.force_override=never), or tracers alone (=ptrace), which
# pwrite() here says as the kernel does: breakpoints are set by ptrace(2), and taken out again, also when the process that traces is killed.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"
trap 'kill -KILL $target $tracer 2>/dev/null' EXIT
gcc -O1 -shared -fPIC -o unforced.so -x c - -ldl <<'C' || fail gcc
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void)
{
	unsetenv("LD_PRELOAD");
}
static int is_tracer_of(int pid)
{
	char path[32], text[2048], *line;
	FILE *file;
	size_t n;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = 0;
	line = strstr(text, "TracerPid:");
	return line && atol(line + 10) == syscall(SYS_gettid);
}
ssize_t pwrite(int fd, const void *src, size_t size, off_t offset)
{
	char path[32], link[32] = "";
	int pid, end = 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, link, sizeof(link) - 1) > 0 && sscanf(link, "/proc/%d/mem%n", &pid, &end) == 1 && end &&
	    (strcmp(getenv("UNFORCED"), "ptrace") || !is_tracer_of(pid))) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, src, size, offset);
}
long ptrace(enum __ptrace_request request, ...)
{
	long (*real)(int, ...) = (long (*)(int, ...))dlsym(RTLD_NEXT, "ptrace");
	va_list args;
	va_start(args, request);
	pid_t pid = va_arg(args, pid_t);
	void *address = va_arg(args, void *), *data = va_arg(args, void *);
	va_end(args);
	if (request == PTRACE_POKETEXT && !strcmp(getenv("UNFORCED"), "nobody")) {
		errno = EIO;
		return -1;
	}
	return real(request, pid, address, data);
}
C
gcc -O1 -g -pthread -o probed -x c - <<'C' || fail gcc
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noipa)) long add(long a)
{
	return sum + a;
}
static void *run(void *n)
{
	for (long i = 0; !n || i < *(long *)n; i++) {
		sum = add(1);
		if (!n)
			usleep(1000);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	pthread_t thread;
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, run, argc > 1 ? &n : NULL);
		if (argc > 1)
			pthread_join(thread, NULL);
	}
	if (argc == 1)
		run(NULL);
	printf("%ld\n", sum);
	return 0;
}
C
code() { dd if=/proc/$target/mem bs=1 count=1 skip=$((base + $(printf %d 0x$(nm probed | sed -n 's/ T add$//p')))) 2>/dev/null | od -An -tx1; }
is_probed() { [ "$(code)" = ' cc' ]; }
was_called() { [ $(wc -l <said) -gt 100 ]; }
is_clean() { [ "$(code)" = "$first" ]; }
expect 0 "$SPILE" --engine=user -p4 -o calls.spo -e 'global n probe process("./probed").function("add"), process("./probed").function("add").return { n++ }
	probe end { println(n) }'
expect 0 "$SPILE" --engine=user -p4 -o runs.spo -e 'probe process("./probed").function("add") { println("called") }'
for UNFORCED in never ptrace; do
	export UNFORCED
	expect 0 env LD_PRELOAD=./unforced.so "$SPILE_RUN" --engine=user -c "./probed 100" calls.spo
	quiet
	is '200
400'
	for way in INT KILL; do
		./probed &
		target=$!
		wait_for 20 grep -q "r-xp.*/probed\$" /proc/$target/maps
		base=$((0x$(sed -n '/probed$/{s/-.*//p;q}' /proc/$target/maps)))
		first=$(code)
		LD_PRELOAD=./unforced.so "$SPILE_RUN" --engine=user -x $target runs.spo >said 2>err &
		tracer=$!
		wait_for 20 grep -q called said
		is_probed || fail "no breakpoint: $(code)"
		if [ $way = KILL ]; then
			wait_for 20 was_called # the program has the handler of SIGTRAP then
			kill -KILL $(sed -n 's/^TracerPid:[[:space:]]*//p' /proc/$target/status)
		else
			kill -INT $tracer
		fi
		wait $tracer
		wait_for 20 is_clean
		[ ! -s err ] || fail "$(cat err)"
		kill -0 $target || fail "$UNFORCED, $way: the target has ended"
		kill $target
		wait $target || :
	done
done
# What could not be set is told once, and is nothing that the program has mapped by itself.
UNFORCED=nobody expect 0 env LD_PRELOAD=./unforced.so "$SPILE_RUN" --engine=user -c "./probed 100" calls.spo
says "^WARNING: probe process.*add.*: no breakpoint can be set at 0x[0-9a-f]* in process [0-9]*: its memory cannot be written\$"
[ $(wc -l <err) = 2 ] || fail "other words: $(cat err)"
