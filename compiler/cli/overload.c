// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/overload.h"

#include "runtime/base/util.h"

#include <errno.h>
#include <stdlib.h>

// SystemTap's, in cycles of a processor, which are taken for nanoseconds here: their ratio is what matters.
#define INTERVAL 1000000000
#define THRESHOLD 500000000

// "NAME=NUMBER".
static bool take(const char *define, const char *name, long long *ret)
{
	size_t len = strlen(name);
	char *end;

	if (strncmp(define, name, len) || define[len] != '=')
		return false;
	errno = 0;
	*ret = strtoll(define + len + 1, &end, 0);
	if (errno || *end || end == define + len + 1 || *ret <= 0)
		*ret = 0;
	return true;
}

const char *overload_take_defines(const char **defines, size_t *n_defines, struct overload *overload)
{
	long long threshold = THRESHOLD, interval = INTERVAL;
	bool is_on = false, is_off = false;
	size_t n = 0;

	for (size_t i = 0; i < *n_defines; i++) {
		if (take(defines[i], "STP_OVERLOAD_THRESHOLD", &threshold) || take(defines[i], "STP_OVERLOAD_INTERVAL", &interval))
			is_on = true;
		else if (sp_streq(defines[i], "STP_NO_OVERLOAD") || sp_starts_with(defines[i], "STP_NO_OVERLOAD="))
			is_off = true;
		else
			defines[n++] = defines[i];
		if (!threshold || !interval)
			return defines[i];
	}
	*n_defines = n;
	if (is_on && overload->share <= 0)
		overload->share = (double)threshold / (double)interval;
	if (is_on)
		overload->seconds = (double)interval / 1e9;
	if (is_off)
		overload->share = 0;
	return NULL;
}
