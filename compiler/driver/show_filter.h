// SPDX-License-Identifier: GPL-2.0-or-later
/** Filters of names, as in `perf probe --filter`: wildcards with `|`, `&`, `!` and parentheses. */
#ifndef SP_DRIVER_SHOW_FILTER_H
#define SP_DRIVER_SHOW_FILTER_H

#include <stdbool.h>

/** What is wrong with the filter; NULL: nothing. */
const char *show_filter_check(const char *filter);
/** Does the name pass the filter, which show_filter_check() has found right? */
bool show_filter_match(const char *filter, const char *name);

#endif
