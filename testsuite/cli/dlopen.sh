# SPDX-License-Identifier: GPL-2.0-or-later
# A library that a running program opens later: its probes fire from the first call on, and again when it is opened once more.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
echo 'int later(int n) { return n + 1; }' | gcc -g -shared -fPIC -o liblater.so -x c -
gcc -g -o opens -x c - <<'C'
#include <dlfcn.h>

int main(void)
{
	for (int i = 0; i < 2; i++) {
		void *library = dlopen("./liblater.so", RTLD_NOW);
		int (*later)(int) = (int (*)(int))dlsym(library, "later");

		later(i);
		later(i + 10);
		dlclose(library);
	}
	return 0;
}
C
expect 0 timeout 60 "$SPILE" --engine=$ENGINE -c ./opens -e 'probe process("./liblater.so").function("later") { println($n) }
probe process("./liblater.so").function("later").return { println("returns ", $return) }'
quiet
is '0
returns 1
10
returns 11
1
returns 2
11
returns 12'
