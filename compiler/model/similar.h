// SPDX-License-Identifier: GPL-2.0-or-later
/** "Did you mean": keeps the names that are nearest to one that was not found. */
#ifndef SP_MODEL_SIMILAR_H
#define SP_MODEL_SIMILAR_H

#include "runtime/base/arena.h"

#define SIMILAR_MAX 3

struct similar {
	const char *want;
	unsigned limit; // edits that are still near
	struct {
		const char *name; // borrowed
		unsigned distance;
	} best[SIMILAR_MAX];
	unsigned n;
};

void similar_init(struct similar *similar, const char *want);
/** Considers one name; must live until similar_text. NULL is fine. */
void similar_try(struct similar *similar, const char *name);
/** "'a'", "'a' or 'b'", "'a', 'b' or 'c'", in `arena`; NULL when nothing is near. */
const char *similar_text(const struct similar *similar, struct sp_arena *arena);

#endif
