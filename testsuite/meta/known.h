// SPDX-License-Identifier: GPL-2.0-or-later
/** What is left out of the scripts, and why: known.def. */
#ifndef META_KNOWN_H
#define META_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

enum known {
#define KNOWN(id, name, reason) KNOWN_##id,
#include "testsuite/meta/known.def"
#undef KNOWN
	KNOWN_COUNT
};

/** A bit each: what is in the scripts all the same. */
typedef uint64_t known_set;

#define known_in(set, id) (((set) >> KNOWN_##id & 1) != 0)

#endif
