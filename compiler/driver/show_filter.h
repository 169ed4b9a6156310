// SPDX-License-Identifier: GPL-2.0-or-later
/** Filters of names, as `perf probe --filter` has them: wildcards with `|`, `&`, `!` and brackets. */
#ifndef SP_DRIVER_SHOW_FILTER_H
#define SP_DRIVER_SHOW_FILTER_H

#include <stdbool.h>

/** NULL, or what is wrong with the filter. */
const char *show_filter_check(const char *filter);
/** Does the name pass? The filter is right. */
bool show_filter_match(const char *filter, const char *name);

#endif
