# SPDX-License-Identifier: GPL-2.0-or-later
# Rules that walks of stacks have kept hold for one process, as long as nothing else is mapped at their addresses: two libraries have the
# same code at the same address, but for the size of a frame.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "unwind tables are for x86_64"
command -v setarch >/dev/null || skip "needs setarch"
compgen -c gcc | grep -qx gcc || skip "needs gcc"

cat >library.c <<'C'
__asm__(".globl through\n.type through, @function\nthrough:\n.cfi_startproc\n"
	"sub $" SIZE ", %rsp\n.cfi_adjust_cfa_offset " SIZE "\ncall *%rdi\nadd $" SIZE ", %rsp\n.cfi_adjust_cfa_offset -" SIZE "\n"
	"ret\n.cfi_endproc\n.size through, .-through\n");
C
cat >prog.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile int sink;
__attribute__((noipa)) void stop_here(void) { sink++; }
static void work(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*through)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(library, "through");
	for (int i = 0; i < 3; i++)
		through(stop_here);
	printf("%p\n", (void *)through);
	fflush(stdout);
	dlclose(library);
}
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "fork") == 0 && fork()) {
			wait(NULL);
			return 0;
		}
		if (strcmp(argv[i], "fork") != 0)
			work(argv[i]);
	}
}
C
gcc -shared -fPIC -nostdlib -DSIZE='"24"' -o one.so library.c && gcc -shared -fPIC -nostdlib -DSIZE='"104"' -o two.so library.c &&
	gcc -O2 -fomit-frame-pointer -o prog prog.c -ldl || skip "gcc does not make them"
cat >all.sh <<'SH'
./prog ./one.so ./two.so ./one.so fork ./two.so ./one.so
./prog ./one.so
exec ./prog ./two.so
SH
expect 0 timeout 60 "$SPILE" --engine=kernel -c "setarch -R sh all.sh" -e '
probe process(@1).function("through"), process(@2).function("through") { if (!pid()) println() }
probe process(@3).function("stop_here") { printf("%s\n", sprint_ubacktrace()) }' "$PWD/one.so" "$PWD/two.so" "$PWD/prog"
grep '^0x' out | sort -u >addresses
[ "$(wc -l <addresses)" = 1 ] || skip "the libraries are at different addresses"
grep -v '^0x' out | sed -E 's/^ 0x[0-9a-f]+ : //; s/\+0x.*//; s/@@.*//' | awk -v RS= '{ $1 = $1; print }' | sort | uniq -c | sed 's/^ *//' >stacks
grep -qE '^21 stop_here through main __libc_start_call_main __libc_start_main _start$' stacks || fail "$(cat stacks)"
[ "$(wc -l <stacks)" = 1 ] || fail "$(cat stacks)"
