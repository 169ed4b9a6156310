// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/promoted.h"

#include "compiler/debug/dbg.h"

#define MAX_DEPTH 8 // of structures that embed others
#define MAX_VISITS 1000 // a structure can embed pointers to its own type

// Counts the members of that name which lie `depth` embedded fields deep.
static unsigned count(const struct c_type *type, const char *name, unsigned depth, unsigned *n_visits)
{
	const struct c_type *bare = c_type_strip(type);
	unsigned n = 0;
	uint64_t bit_off;

	if (bare && bare->kind == C_POINTER)
		bare = c_type_strip(bare->target);
	bare = bare && bare->kind == C_STRUCT && ++*n_visits < MAX_VISITS ? dbg_complete_type(bare) : NULL;
	if (!bare)
		return 0;
	if (!depth)
		return c_type_member(bare, name, &bit_off) != NULL;
	for (unsigned i = 0; i < bare->n_members; i++)
		if (bare->members[i].is_embedded)
			n += count(bare->members[i].type, name, depth - 1, n_visits);
	return n;
}

const char *promoted_through(const struct c_type *type, const char *name)
{
	unsigned n = 0, n_visits = 0;
	const char *through = NULL;

	for (unsigned depth = 0; depth < MAX_DEPTH && !n; depth++) {
		for (unsigned i = 0; i < type->n_members; i++) {
			unsigned found = type->members[i].is_embedded ? count(type->members[i].type, name, depth, &n_visits) : 0;

			n += found;
			if (found)
				through = type->members[i].name;
		}
	}
	return n == 1 && n_visits < MAX_VISITS ? through : NULL;
}
