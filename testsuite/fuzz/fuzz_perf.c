// SPDX-License-Identifier: GPL-2.0-or-later
// The door of perf's cache: a file of probes. A probe that is put into it again is there once, and the other probes stay.
#include "compiler/cache/perf_probes.h"

#include "runtime/base/util.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count(const char *text, size_t size)
{
	const char *at = text, *before = text;
	struct perf_probe probe;
	size_t n = 0;

	for (; perf_probes_next(&at, text + size, &probe); n++, before = at)
		if (probe.begin < before || probe.end > text + size || probe.definition + probe.len > probe.end || at <= probe.begin)
			abort();
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *at = text;
	struct sp_buf out = { 0 };
	struct perf_probe probe;

	while (perf_probes_next(&at, text + size, &probe))
		perf_probes_put(&out, probe.begin, (size_t)(probe.end - probe.begin));
	size_t n = count(out.data, out.len), first = 0;
	if (n > count(text, size))
		abort();
	at = text;
	if (perf_probes_next(&at, text + size, &probe)) {
		first = (size_t)(probe.end - probe.begin);
		perf_probes_put(&out, probe.begin, first);
		if (count(out.data, out.len) != n || out.len < first)
			abort();
	}
	sp_buf_deinit(&out);
	return 0;
}
