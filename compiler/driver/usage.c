// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/usage.h"

#include "runtime/base/cleanup.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

void usage_now(struct usage *ret)
{
	struct rusage ru;
	struct timespec now;

	getrusage(RUSAGE_SELF, &ru);
	clock_gettime(CLOCK_MONOTONIC, &now);
	ret->user_us = ru.ru_utime.tv_sec * 1000000ll + ru.ru_utime.tv_usec;
	ret->system_us = ru.ru_stime.tv_sec * 1000000ll + ru.ru_stime.tv_usec;
	ret->real_us = now.tv_sec * 1000000ll + now.tv_nsec / 1000;
}

void usage_print_time(struct sp_buf *out, const struct usage *since)
{
	struct usage now;

	usage_now(&now);
	sp_buf_printf(out, "%lldusr/%lldsys/%lldreal ms", (long long)(now.user_us - since->user_us) / 1000,
		      (long long)(now.system_us - since->system_us) / 1000,
		      (long long)(now.real_us - since->real_us) / 1000);
}

void usage_print_memory(struct sp_buf *out)
{
	// proc(5), statm: size resident shared text lib data dirty, in pages
	sp_cleanup_fclose FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long size = 0, resident = 0, shared = 0, data = 0, kb = (unsigned long long)sysconf(_SC_PAGESIZE) / 1024;

	if (!f || fscanf(f, "%llu %llu %llu %*u %*u %llu", &size, &resident, &shared, &data) != 4)
		kb = 0;
	sp_buf_printf(out, "%lluvirt/%llures/%llushr/%lludata kb", size * kb, resident * kb, shared * kb, data * kb);
}
