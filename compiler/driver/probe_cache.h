// SPDX-License-Identifier: GPL-2.0-or-later
/** Definitions of probes, resolved for the probe cache (debug/dbg_record.h). */
#ifndef SP_DRIVER_PROBE_CACHE_H
#define SP_DRIVER_PROBE_CACHE_H

#include "compiler/include/spile.h"

/** Adds what is asked for, and prints a line for each file that was written. Returns the exit status. */
int probe_cache_add(struct spile *spile, const struct spile_cache_add *what);

#endif
