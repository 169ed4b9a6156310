// SPDX-License-Identifier: GPL-2.0-or-later
/** For libraries that cases preload (gcc -I "$SUITE"): syscall(3) in front of libc's. Each defines what happens before and after. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // RTLD_NEXT
#endif
#include <dlfcn.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

static void before(long number, const long *a);
static void after(long number, const long *a, long result);

long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall"), a[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	before(number, a);
	result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	after(number, a, result);
	return result;
}
