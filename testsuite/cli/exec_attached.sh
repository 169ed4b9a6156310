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

// This thread, not the process: who is not traced runs its next program unseen until the engine finds it.
static int is_traced(void)
{
	FILE *file = fopen("/proc/thread-self/status", "r");
	int tracer = 0;
	char line[256];

	while (fgets(line, sizeof(line), file) && sscanf(line, "TracerPid: %d", &tracer) != 1)
		;
	fclose(file);
	return tracer;
}

static void *runs(void *arg)
{
	while (!arg && !is_traced())
		;
	execl("./execs", "execs", arg, NULL);
	return arg;
}

// execs: works, and ends. execs THREADS: the first, or the last if it is below 0, calls execve(2) as soon as it is traced.
// execs first, execs last: with 20, and without waiting, one after the other until there is a file `stop`.
int main(int argc, char **argv)
{
	int again = argc > 1 && (argv[1][0] == 'f' || argv[1][0] == 'l'), n_threads = again ? 20 : argc > 1 ? abs(atoi(argv[1])) : 0;
	int is_last = argc > 1 && (argv[1][0] == '-' || argv[1][0] == 'l');
	char *next = !again || access("stop", F_OK) == 0 ? NULL : is_last ? "first" : "last";
	pthread_t thread;

	for (int i = 0; i < 20 && (argc < 2 || again); i++)
		work(i);
	if (argc < 2 || (again && !next))
		return 5;
	for (int i = 0; i < n_threads; i++)
		pthread_create(&thread, NULL, is_last && i == n_threads - 1 ? runs : sleeps, next);
	if (!again) {
		puts("ready");
		fflush(stdout);
	}
	if (is_last)
		pause();
	runs(next);
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

# One that does so all the time never notices that the engine comes and goes.
./execs first &
pid=$!
trap 'kill -9 $pid' EXIT
for i in $(seq 30); do
	expect 0 timeout -k 5 30 "$SPILE_RUN" --engine=user -T 0.0$((i % 9 + 1)) -x $pid execs.spo
	quiet
done
[ -d /proc/$pid ] || fail "it is gone"
trap - EXIT
echo >stop
wait $pid
status=$?
[ $status = 5 ] || fail "it ended by $status"
