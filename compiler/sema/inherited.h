// SPDX-License-Identifier: GPL-2.0-or-later
/** Members of C++'s virtual bases, and the way to them: each base lies where the virtual table of what is derived from it says. */
#ifndef SP_SEMA_INHERITED_H
#define SP_SEMA_INHERITED_H

#include "compiler/model/type.h"

#define INHERITED_MAX 8 // a virtual base of a virtual base, and so on

struct inherited {
	struct {
		uint64_t bit_off; // of the part that has the base, from the start of `type`, then of the base before it
		const struct c_virtual_base *base;
	} v[INHERITED_MAX];
	unsigned n;
	unsigned n_visits; // classes looked at: broken debug information can have any number
};

/** `bases` must be empty; `bit_off_ret` counts from the start of the last of them. NULL: no such member; `bases` is empty again. */
const struct c_member *inherited_find(const struct c_type *type, const char *name, struct inherited *bases, uint64_t *bit_off_ret);

#endif
