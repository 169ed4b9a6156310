# SPDX-License-Identifier: GPL-2.0-or-later
# Unwind tables that the kernel has no memory for are told, once.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "unwind tables are for x86_64"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "the sanitizers have to be loaded first"
cat >full.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	static int n; // the first one is of the script
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf && a[0] == BPF_MAP_CREATE && !strncmp(((union bpf_attr *)a[1])->map_name, "spile_unwind", 12) && n++) {
		errno = ENOMEM;
		return -1;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
C
gcc -shared -fPIC -o full.so full.c -ldl || fail gcc
expect 0 "$SPILE" -p4 -o x.spo -e 'probe process("'"$PROGS"'/omit").function("stop_here") { n += strlen(ubacktrace()) > 0; if (n == 1) println("hit") exit() }'
LD_PRELOAD=$PWD/full.so expect 0 timeout 60 "$SPILE_RUN" -c "$PROGS/omit" x.spo
is hit
says '^WARNING: the kernel does not take all unwind tables \(Cannot allocate memory\): other files'"'"' frames are found by frame pointers$'
[ "$(wc -l <err)" = 1 ] || fail "more is said"
