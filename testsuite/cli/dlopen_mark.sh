# SPDX-License-Identifier: GPL-2.0-or-later
# A mark's semaphore is raised again when its library is opened again. When another library has its data where the semaphore was, they stay.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
cat >marked.c <<'C'
#include <stdint.h>
#include "mark.h"
extern uint16_t marked_semaphore;
uint16_t marked_semaphore __attribute__((section(".probes"), used, visibility("hidden")));
int run(int n)
{
#ifdef DATA
	return marked_semaphore + DATA;
#else
	if (marked_semaphore)
		MARK("prog", "marked", "marked_semaphore", "-4@%0", "nor"(n));
	return marked_semaphore;
#endif
}
C
gcc -O1 -shared -fPIC -I"$TOP/testsuite/progs" -o libmarked.so marked.c && gcc -O1 -shared -fPIC -DDATA=100 -I"$TOP/testsuite/progs" -o libother.so marked.c ||
	fail "the libraries cannot be made"
gcc -g -O1 -o opens -x c - <<'C' || fail "cannot be made"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int (*run)(int);
__attribute__((noipa)) void done(void) { }
static void *open_one(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	run = (int (*)(int))dlsym(library, "run");
	return library;
}

int main(void)
{
	void *library = open_one("./libmarked.so");

	alarm(60);
	while (!run(-1)) // until it is probed
		usleep(1000);
	for (int i = 0; i < 3; i++) {
		run(i);
		dlclose(library);
		library = open_one(i < 2 ? "./libmarked.so" : "./libother.so");
	}
	printf("%d", run(0));
	done();
	while (access("detached", F_OK))
		usleep(1000);
	printf(" %d\n", run(0));
	return 0;
}
C
trap 'kill -KILL $target 2>/dev/null' EXIT
./opens >said &
target=$!
wait_for 10 grep -q libmarked.so /proc/$target/maps
expect 0 timeout 60 "$SPILE" --engine=user -x $target -e 'probe process("./libmarked.so").mark("marked") { if ($arg1 >= 0) println("hit ", $arg1) }
probe process("./opens").function("done") { exit() }'
touch detached
quiet
is 'hit 0
hit 1
hit 2'
wait $target
[ "$(cat said)" = '100 100' ] || fail "other data were changed: $(cat said)"
