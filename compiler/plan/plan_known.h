// SPDX-License-Identifier: GPL-2.0-or-later
/** Texts of keys that are known in advance: `n[name]++` in `syscall.*`, `n[ppfunc()]++`, `n[write ? "W" : "R"]++`.
 *
 *  An array all of whose elements are stored under texts which the compiler knows has numbers in their place in the kernel. One of
 *  numbers under one such text is no map there at all: its elements stand side by side in spile_data, and an addition takes no
 *  helper's call. Others have short keys, which are hashed and compared sooner. The runtime's store turns one into the other
 *  (runtime/load/known.h), so that code which runs there has texts as ever: it may ask for any, but store only under those. */
#ifndef SP_PLAN_PLAN_KNOWN_H
#define SP_PLAN_PLAN_KNOWN_H

#include "compiler/plan/plan.h"

#include <string.h>

/** Decides plan->maps[].known, .kernel_key_size and .is_direct, after plan_map(). */
void plan_known(struct plan *plan);

/** The number of a text that is among them. */
static inline uint32_t plan_known_number(const struct plan_known *known, const char *text)
{
	uint32_t low = 0, high = known->n;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(text, known->texts[middle]) < 0)
			high = middle;
		else
			low = middle;
	}
	return low;
}

#endif
