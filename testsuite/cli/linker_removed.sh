# SPDX-License-Identifier: GPL-2.0-or-later
# The upgrade of a package has removed the file of a program's dynamic linker: libraries that it loads from now on are probed where we may
# have the very file, and else a warning says that one was not.
. "$SUITE/lib.sh"
[ "$(id -u)" = 0 ] || skip "files without names are for root alone"
cat >prog.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noipa)) int waits(void)
{
	return access("go", F_OK);
}
int main(void)
{
	void *late;
	while (waits())
		usleep(10000);
	if ((late = dlopen("./late.so", RTLD_NOW)))
		printf("%d\n", ((int (*)(int))dlsym(late, "late"))(1));
	return !late;
}
C
echo 'int late(int x) { return x + 1; }' | gcc -g -O1 -shared -fPIC -o late.so -x c -
cp "$(readlink -f /lib64/ld-linux-x86-64.so.2)" linker
gcc -g -O1 -Wl,--dynamic-linker="$TMP/linker" -o prog prog.c
has_libc() { grep -q '/prog$' /proc/$prog/maps && grep -q libc.so /proc/$prog/maps; } # of the program: the shell that becomes it has one, too
# met COMMAND...: attaches as such a user to what runs already.
met()
{
	rm -f go
	cp "$TMP/linker" kept
	./prog >said &
	prog=$!
	trap 'kill $prog 2>/dev/null' EXIT
	wait_for 10 has_libc
	rm linker
	expect 0 timeout 60 "$@" "$SPILE" --engine=user -x $prog -e '
global n
probe process("./prog").function("waits") { if (!n++) system("touch go") }
probe process("./late.so").function("late") { println("late ", $x) }'
	mv kept linker
	wait $prog || fail "the program: $?"
	[ "$(cat said)" = 2 ] || fail "the program said $(cat said)"
}
met
quiet
is "late 1"

met setpriv --bounding-set -sys_admin,-checkpoint_restore --inh-caps -all
says '^WARNING: code was not probed that a program has mapped by itself: only the dynamic linker says when it does$'
