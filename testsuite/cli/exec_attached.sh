# SPDX-License-Identifier: GPL-2.0-or-later
# A process that calls execve(2) while the user engine comes, in which the kernel lets it wait for the ends of its threads, and the engine for
# it: both go on, and what it runs then is probed from its start.
. "$SUITE/lib.sh"
cat >execs.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noipa)) static int work(int n)
{
	return n;
}

static void *sleeps(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int is_traced(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	int tracer = 0;
	char line[256];

	while (fgets(line, sizeof(line), file) && sscanf(line, "TracerPid: %d", &tracer) != 1)
		;
	fclose(file);
	return tracer;
}

static void *runs(void *arg)
{
	while (!is_traced())
		;
	execl("./execs", "execs", NULL);
	return arg;
}

// execs THREADS: of which the last, or the first, calls execve(2) as soon as the first is traced.
int main(int argc, char **argv)
{
	int n_threads = argc > 1 ? abs(atoi(argv[1])) : 0;
	pthread_t thread;

	for (int i = 0; argc < 2 && i < 20; i++)
		work(i);
	if (argc < 2)
		return 5;
	for (int i = 0; i < n_threads; i++)
		pthread_create(&thread, NULL, argv[1][0] == '-' && i == n_threads - 1 ? runs : sleeps, NULL);
	puts("ready");
	fflush(stdout);
	if (argv[1][0] == '-')
		pause();
	runs(NULL);
	return 1;
}
C
gcc -O1 -g -pthread -o execs execs.c || fail "gcc"
"$SPILE" -p4 --engine=user -o execs.spo -e 'global n probe process("./execs").function("work") { n++ } probe end { println(n) }' || fail "-p4"
for threads in 0 0 0 50 50 200 -50 -200; do
	rm -f said
	./execs $threads >said &
	pid=$!
	trap 'kill -9 $pid' EXIT
	wait_for 10 grep -q ready said
	expect 0 timeout -k 5 30 "$SPILE_RUN" --engine=user -x $pid execs.spo
	is 20
	quiet
	trap - EXIT
	wait $pid
	status=$?
	[ $status = 5 ] || fail "$threads: it ended by $status"
done
