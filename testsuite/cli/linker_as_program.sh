# SPDX-License-Identifier: GPL-2.0-or-later
# A program that its linker is told to run (/lib64/ld-linux-x86-64.so.2 ./prog): the kernel maps the linker alone then, which maps the program.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cat >prog.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int own(int a) { __asm__(""); return a * 2; }
__attribute__((constructor)) static void constructed(void) { own(100); }
int main(int argc, char **argv)
{
	int (*late)(int);

	puts("on");
	fflush(stdout);
	while (argc > 2 && access("now", F_OK)) {
		own(5);
		usleep(1000);
	}
	late = dlsym(dlopen("./liblate.so", RTLD_NOW), "late");
	return argc > 1 ? own(3) + late(4) != 11 : 0;
}
C
echo '__attribute__((noinline)) int late(int b) { __asm__(""); return b + 1; }
static int chosen(int c) { return c; }
static void *choose(void) { late(200); return chosen; }
int choice(int c) __attribute__((ifunc("choose")));
int (*kept)(int) = choice;' >late.c
gcc -g -O1 -shared -fPIC -Wl,-Bsymbolic -o liblate.so late.c || skip "this compiler makes no IFUNCs"
linker=$(readelf -lW /bin/true | sed -n 's/.*program interpreter: \(.*\)]/\1/p')
script='probe process("./prog").function("own") { println("own ", $a) }
	probe process("./prog").begin { println("begun") }
	probe process("./prog").library("./liblate.so").function("late") { println("late ", $b) }
	probe process("./liblate.so").function("late") { println("library ", $b) }
	probe process("./prog").syscall { calls++ }
	probe process("./prog").end { println(calls > 0 ? "ended" : "ended without calls") }
	global calls'
traced() { expect 0 timeout 60 "$SPILE" --engine=$ENGINE "$@"; }
for flags in "" -no-pie; do
	gcc -g -O1 $flags -o prog prog.c || fail "gcc $flags"
	traced -o seen -c "$linker ./prog 1" -e "$script"
	quiet
	[ "$(cat seen)" = "begun
own 100
late 200
library 200
own 3
late 4
library 4
ended" ] || fail "'$flags', -c: $(cat seen)"
	$linker ./prog 1 2 >on &
	pid=$!
	trap 'kill $pid 2>/dev/null' EXIT
	wait_for 20 grep -q on on
	traced -o seen -x $pid -e "$script
		global waits
		probe process(\"./prog\").function(\"own\") { if (\$a == 5 && !waits++) system(\"touch $TMP/now\") }"
	quiet
	[ "$(grep -v 'own 5' seen)" = "begun
late 200
library 200
own 3
late 4
library 4
ended" ] || fail "'$flags', -x: $(cat seen)"
	wait $pid || fail "the program ended with $?"
	trap - EXIT
	rm now
done
# A static program has the linker's functions in itself.
echo '#include <dlfcn.h>
int main(void) { return ((int (*)(int))dlsym(dlopen("./liblate.so", RTLD_NOW), "late"))(4) != 5; }' | gcc -static -o static -x c - 2>err && ./static || exit 0
traced -c ./static -e 'probe process("./liblate.so").function("late") { println("library ", $b) }'
is "library 200
library 4"
