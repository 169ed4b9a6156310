// SPDX-License-Identifier: GPL-2.0-or-later
/** What bundle_open asks of a bundle before anyone reads it: every index, offset and size. Not for others. */
#ifndef SP_RUNTIME_BUNDLE_CHECK_H
#define SP_RUNTIME_BUNDLE_CHECK_H

#include "runtime/load/bundle.h"

// What no compiled script comes near to; keeps sums of untrusted sizes far from overflow.
#define BUNDLE_MAX_AREA (1u << 28)
#define BUNDLE_MAX_ITEM (1u << 20)

/** The sections that hold the areas of the kernel's programs. */
struct bundle_areas {
	bool has_data;
	size_t data_size;
	bool has_slots;
	size_t slots_size;
};

/** `b` has its sections already. Error: SP_ERR_FORMAT, which names the section and the record. */
struct sp_err *bundle_check(const struct bundle *b, const struct bundle_areas *areas);

/** Nor do b->code's maps have other sizes than the arrays that they are. */
struct sp_err *bundle_check_code(const struct bundle *b);

/** NULL, or what is wrong with what the site's hook needs (bundle_hook.c). */
const char *bundle_hook_fault(const struct bundle *b, const struct sp_site *s);
bool bundle_is_program(const struct bundle *b, uint32_t object);

/** "not a valid compiled script: ..." */
struct sp_err *bundle_broken(const char *fmt, ...) SP_PRINTF(1, 2);

static inline bool bundle_in_range(uint64_t first, uint64_t count, uint64_t total)
{
	return first <= total && count <= total - first;
}

#endif
