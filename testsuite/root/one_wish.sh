# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes; and a Ctrl-C while they are set.
ENGINE=kernel . "$SUITE/cli/one_wish.sh"
cat >early.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
// BPF_LINK_CREATE of bpf(2), or what sets one probe.
long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	__builtin_va_list list;
	long a[6];
	__builtin_va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = __builtin_va_arg(list, long);
	__builtin_va_end(list);
	if (number == SYS_bpf && a[0] == 28)
		kill(getpid(), SIGINT);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
C
gcc -shared -fPIC -o early.so early.c || fail gcc
LD_PRELOAD=$PWD/early.so expect 0 "$SPILE_RUN" x.spo
is $'started\nend'
