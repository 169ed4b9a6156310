// SPDX-License-Identifier: GPL-2.0-or-later
/** What random scripts call and a person would have written: functions and globals that are declared when something names them. */
#ifndef META_HELPERS_H
#define META_HELPERS_H

#include <stddef.h>

struct helper {
	const char *name, *text;
};

/** Known algorithms, in the script's language and in C. */
extern const struct helper algorithms[];
extern const size_t n_algorithms;

#endif
