# SPDX-License-Identifier: GPL-2.0-or-later
# A process with a filter of system calls, in which no memory can be mapped for slots: they are in what files leave unused. One that closes the
# library that was hit first, and opens it again, goes on.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
trap 'kill -KILL $target 2>/dev/null' EXIT
echo 'int later(int n) { return n + 1; }' | gcc -g -shared -fPIC -o liblater.so -x c - || fail "liblater.so cannot be made"
gcc -g -o opens -x c - <<'C' || fail "cannot be made"
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
	struct sock_fprog filter = { 1, &allow };
	void *library = dlopen("./liblater.so", RTLD_NOW);
	int (*later)(int) = (int (*)(int))dlsym(library, "later");

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 77;
	alarm(60);
	while (*(volatile unsigned char *)later != 0xcc) // until it is probed
		usleep(1000);
	for (int i = 0; i < 3; i++) {
		later(i);
		dlclose(library);
		library = dlopen("./liblater.so", RTLD_NOW);
		later = (int (*)(int))dlsym(library, "later");
		later(i + 10);
	}
	return 0;
}
C
./opens &
target=$!
wait_for 10 grep -q "^Seccomp:.*2" /proc/$target/status
expect 0 timeout 60 "$SPILE" --engine=user -x $target -e 'probe process("./liblater.so").function("later").return { println($return) }'
quiet
is '1
11
2
12
3
13'
wait $target || fail "the program has ended with $?"
