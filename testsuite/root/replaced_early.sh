# SPDX-License-Identifier: GPL-2.0-or-later
# A program is replaced between the look at it and the moment when its probes are set: they are in the file that was looked at. A new one of the
# same build has them, too, and nothing there is counted twice; another build has none.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the sanitizers have to be loaded first"
cat >early.c <<'C'
#include "preload_syscall.h"
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
static void replace(const char *path)
{
	char name[4096] = "";
	if ((unsigned long)path > 65536)
		strncpy(name, path, sizeof(name) - 1);
	if (strstr(name, "/fd/"))
		memset(name + readlink(path, name, sizeof(name) - 1), 0, 1);
	if (strstr(name, "prog"))
		rename("new", "prog"); // once
}
// The path is the first member behind the flags, and perf's config1.
static void before(long number, const long *a)
{
	if (number == SYS_bpf && a[0] == BPF_LINK_CREATE && ((unsigned *)a[1])[2] == 48) // BPF_TRACE_UPROBE_MULTI
		replace(((char **)a[1])[2]);
	if (number == SYS_perf_event_open)
		replace((char *)((struct perf_event_attr *)a[0])->config1);
}
static void after(long number, const long *a, long result)
{
}
C
gcc -shared -fPIC -I "$SUITE" -o early.so early.c || fail gcc
for id in 1 2; do gcc -g -Wl,--build-id=0x0$id -o build$id -x c - <<<'int main(void) { return 0; }' || fail gcc; done
# ID: the build that takes the place of build 1
traced()
{
	rm -f prog
	cp build1 prog
	expect 0 "$SPILE" -p4 -o x.spo -e 'probe process("./prog").function("main") { println("main") }'
	cp build$1 new
	expect 0 env LD_PRELOAD="$PWD/early.so" "$SPILE_RUN" -v -o events -c "sh -c 'until grep -q was.replaced err; do sleep 0.05; done; ./prog'" x.spo
	[ ! -e new ] || fail "it was not replaced"
}
traced 1
[ "$(cat events)" = main ] || fail "events: $(cat events)"
says "^$TMP/prog was replaced by a file of the same build: its probes are set there, too\$"
traced 2
[ ! -s events ] || fail "events: $(cat events)"
says "^WARNING: $TMP/prog was replaced by another build while it was probed: processes that run the new file are not all seen; start the script again\$"
