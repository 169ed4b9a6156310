// SPDX-License-Identifier: GPL-2.0-or-later
/** A file of perf's cache of probes, ~/.debug/OBJECT/BUILD-ID/probes. For each probe it has a line "#DEFINITION", as perf-probe(1) takes
 *  it, or "%GROUP:EVENT=NAME" of a mark, and behind it the lines of its events as tracefs takes them. Others write these files: they may
 *  have anything in them. */
#ifndef SP_CACHE_PERF_PROBES_H
#define SP_CACHE_PERF_PROBES_H

#include "runtime/base/buf.h"

#include <stdbool.h>

struct perf_probe {
	const char *definition; // without the "#" or "%"; not terminated
	size_t len;
	bool is_mark;
	const char *begin, *end; // all its lines
};

/** Finds the next probe; *at is the text at first. Lines before the first one are passed over. */
bool perf_probes_next(const char **at, const char *end, struct perf_probe *ret);
/** Adds a probe with its events, all of it lines; one with that definition is replaced. */
void perf_probes_put(struct sp_buf *text, const char *probe, size_t len);

#endif
