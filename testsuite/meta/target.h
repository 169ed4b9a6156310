// SPDX-License-Identifier: GPL-2.0-or-later
/** Random programs to probe: functions whose variables of one name have other types and live in other places, in two units
 *  whose structures and statics of one name differ. Each program runs alone, prints nothing, and does the same in each run. */
#ifndef META_TARGET_H
#define META_TARGET_H

#include "runtime/base/arena.h"

enum { MAX_FUNCTIONS = 10, SEEDS_A_PROGRAM = 16 };

struct target_function {
	const char *name;
	const char *file; // "one.c" or "two.c"
	unsigned line; // of a statement in its middle
	bool is_inline; // has no .return
	bool has_extra; // a parameter `zz` that others do not have
};

struct target {
	uint64_t number;
	char *path; // of the program
	struct target_function functions[MAX_FUNCTIONS];
	unsigned n_functions;
	struct sp_arena arena;
};

/** Writes, compiles and links it in the folder, which then holds it alone. false: the compiler's words went to stderr. */
bool target_build(struct target *t, uint64_t number, const char *folder);
void target_deinit(struct target *t);

#endif
