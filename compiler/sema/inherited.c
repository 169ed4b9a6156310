// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/inherited.h"

#include "compiler/debug/dbg.h"

#define MAX_VISITS 10000

// Finds a member of virtual bases, also of those of anonymous members (which other bases are), and the way to it.
static const struct c_member *find(const struct c_type *type, const char *name, uint64_t bit_off, unsigned depth,
				   struct inherited *bases, uint64_t *bit_off_ret)
{
	const struct c_member *found = NULL;

	if (depth == INHERITED_MAX || ++bases->n_visits > MAX_VISITS)
		return NULL;
	for (unsigned i = 0; i < type->n_virtual_bases && !found && bases->n < INHERITED_MAX; i++) {
		const struct c_virtual_base *base = &type->virtual_bases[i];
		const struct c_type *complete = dbg_complete_type(c_type_strip(base->type));
		unsigned n = bases->n;

		if (!complete)
			continue;
		bases->v[bases->n].bit_off = bit_off;
		bases->v[bases->n++].base = base;
		found = c_type_member(complete, name, bit_off_ret);
		found = found ? found : find(complete, name, 0, depth + 1, bases, bit_off_ret);
		if (!found)
			bases->n = n;
	}
	for (unsigned i = 0; i < type->n_members && !found; i++) {
		const struct c_member *member = &type->members[i];
		const struct c_type *inner = member->name ? NULL : c_type_strip(member->type);

		if (inner && inner->kind == C_STRUCT)
			found = find(inner, name, bit_off + member->bit_off, depth + 1, bases, bit_off_ret);
	}
	return found;
}

const struct c_member *inherited_find(const struct c_type *type, const char *name, struct inherited *bases, uint64_t *bit_off_ret)
{
	return find(type, name, 0, 0, bases, bit_off_ret);
}
