// SPDX-License-Identifier: GPL-2.0-or-later
/** A progress bar for work that takes long; it appears after one second. */
#ifndef SP_DRIVER_PROGRESS_H
#define SP_DRIVER_PROGRESS_H

#include "compiler/driver/session.h"

#include <stdatomic.h>

struct progress {
	const struct spile_opts *opts;
	uint64_t since; // ns of CLOCK_MONOTONIC
	unsigned total;
	atomic_uint done;
	int told; // the per cent that the bar shows; -1: there is no bar yet
};

/** `total`: how much work there is, in units of the caller's choice. */
void progress_begin(struct progress *progress, const struct spile_opts *opts, unsigned total);
/** Adds to the work that is done; from any thread. `tell`, which one thread alone may say, redraws the bar. */
void progress_add(struct progress *progress, unsigned n, bool tell);
void progress_end(struct progress *progress);

#endif
