// SPDX-License-Identifier: GPL-2.0-or-later
/** Puts elements into the kernel's wrapping arrays and takes them away, in the order that handlers there keep. */
#ifndef SP_RUNTIME_ORDER_H
#define SP_RUNTIME_ORDER_H

#include "runtime/load/bundle.h"

/** How SP_ORDER_PROGRAM is run. */
struct order_runner {
	int prog_fd; // -1: there is none
	struct sp_order *order; // shared with it
};

/** `value`: what a new element begins as. Returns enum sp_order_result, or a negative errno. */
int order_put(const struct order_runner *runner, const struct bundle *bundle, unsigned map, const void *key,
	      const void *value);
int order_drop(const struct order_runner *runner, const struct bundle *bundle, unsigned map, const void *key);

#endif
