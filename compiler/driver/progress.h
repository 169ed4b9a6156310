// SPDX-License-Identifier: GPL-2.0-or-later
/** A bar that grows on the terminal while a long work goes on; it appears after one second. */
#ifndef SP_DRIVER_PROGRESS_H
#define SP_DRIVER_PROGRESS_H

#include "compiler/driver/session.h"

#include <stdatomic.h>

struct progress {
	const struct spile_opts *opts;
	uint64_t since; // ns of CLOCK_MONOTONIC
	unsigned total;
	atomic_uint done;
	int told; // per cent; -1: nothing yet
};

/** `total`: of a measure of the caller's own. */
void progress_begin(struct progress *progress, const struct spile_opts *opts, unsigned total);
/** From any thread. One of them tells. */
void progress_add(struct progress *progress, unsigned n, bool tell);
void progress_end(struct progress *progress);

#endif
