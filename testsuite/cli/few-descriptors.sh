# SPDX-License-Identifier: GPL-2.0-or-later
# The user engine with hardly any file descriptors: it says so, or sees each event of each process; programs never notice.
. "$SUITE/lib.sh"
cat >children.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noipa)) static int work(int n)
{
	return n;
}

static int child(int gate, int number)
{
	char byte;

	return read(gate, &byte, 1) || work(number) != number;
}

int main(int argc, char **argv)
{
	int gate[2], status, n_bad = 0;

	while (argc < 2 && access("stop", F_OK)) {
		work(1);
		usleep(1000);
	}
	if (argc < 2)
		return 0;
	if (pipe(gate))
		return 2;
	for (int i = 0; i < atoi(argv[1]); i++) {
		if (fork())
			continue;
		close(gate[1]);
		_exit(child(gate[0], i));
	}
	close(gate[1]);
	while (wait(&status) > 0)
		n_bad += status != 0;
	printf("%d bad\n", n_bad);
	return 0;
}
C
gcc -O1 -g -o children children.c || fail "gcc"
script='global n probe process("./children").function("work").return { n += $return + 1 } probe end { println(n) }'
"$SPILE" -p4 --engine=user -o children.spo -e "$script" || fail "-p4"
"$SPILE" -p4 --engine=user -o seen.spo -e 'probe process("./children").function("work") { println("seen") exit() }' || fail "-p4"
for files in 8 9 10 11 12 13 14 16 20 25 40; do
	timeout 60 bash -c "ulimit -n $files; exec '$SPILE_RUN' --engine=user -c './children 30' children.spo" >out 2>err
	status=$?
	if [ $status = 1 ]; then
		says '^ERROR: .*: Too many open files$'
		[ $files -lt 14 ] || fail "$files are too few"
	else
		[ $status = 0 ] || fail "$files: status $status: $(cat err)"
		is '0 bad
465'
		quiet
	fi
done
# The breakpoints come out of what goes on, though its memory could not be kept open.
./children &
running=$!
trap 'kill $running' EXIT
wait_for 20 grep -q children /proc/$running/comm
for files in 12 14 16 40; do
	expect 0 timeout 60 bash -c "ulimit -n $files; exec '$SPILE_RUN' --engine=user -x $running seen.spo"
	is seen
	quiet
done
expect 0 "$SPILE" --engine=user -x $running -e 'probe process("./children").function("work") { exit() }'
quiet
trap - EXIT
echo >stop
wait $running || fail "it ended by $?"
