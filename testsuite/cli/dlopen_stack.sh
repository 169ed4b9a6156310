# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks through a library that is mapped where another one was, or that was written anew: by its own tables, with its own names.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
for name in a b; do # the second one's function needs more of the stack
	gcc -O2 -fomit-frame-pointer -shared -fPIC -DNAME=run_$name -DSIZE=$([ $name = a ] && echo 8 || echo 400) -o lib$name.so -x c - <<'C' || fail "lib$name.so cannot be made"
int NAME(int (*function)(void))
{
	volatile char room[SIZE];

	room[1] = 1;
	return function() + room[1];
}
C
done
gcc -g -O2 -o opens -x c - <<'C' || fail "cannot be made"
#include <dlfcn.h>
#include <stdlib.h>
__attribute__((noipa)) int probed(void) { return 1; }
int main(int argc, char **argv)
{
	void *at[2];

	(void)argv;
	for (int i = 0; i < 2; i++) {
		if (i && argc > 1 && system("cat libb.so >liba.so"))
			return 2;
		void *library = dlopen(i && argc == 1 ? "./libb.so" : "./liba.so", RTLD_NOW);
		int (*run)(int (*)(void)) = (int (*)(int (*)(void)))(at[i] = dlsym(library, i ? "run_b" : "run_a"));

		run(probed);
		dlclose(library);
	}
	return at[0] != at[1];
}
C
./opens || skip "the libraries are mapped at different places"
for command in ./opens "./opens anew"; do
	expect 0 timeout 60 "$SPILE" --engine=user -c "$command" -e 'probe process("./opens").function("probed") { print_ubacktrace() }'
	[ "$(grep -oE ' (probed|run_a|run_b|main)\+' out | tr -d '\n')" = ' probed+ run_a+ main+ probed+ run_b+ main+' ] || fail "other stacks: $command"
done
