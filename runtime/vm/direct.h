// SPDX-License-Identifier: GPL-2.0-or-later
/** Elements in memory that the kernel's handlers share (SP_MAP_DIRECT). An element is NULL for a key that has no place. */
#ifndef SP_RUNTIME_DIRECT_H
#define SP_RUNTIME_DIRECT_H

#include "runtime/abi/bundle.h"

/** Results are those of store.h. */
int direct_get(const struct sp_direct *element, void *value_ret);
int direct_set(struct sp_direct *element, const void *value);
int direct_add(struct sp_direct *element, int64_t delta, int64_t *old_ret);
void direct_delete(struct sp_direct *element);

#endif
