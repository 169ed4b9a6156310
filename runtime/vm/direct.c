// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/direct.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int direct_get(const struct sp_direct *element, void *value_ret)
{
	bool is_there = element && element->is_there;

	memset(value_ret, 0, sizeof(element->value));
	if (is_there)
		memcpy(value_ret, &element->value, sizeof(element->value));
	return is_there;
}

int direct_set(struct sp_direct *element, const void *value)
{
	if (!element)
		return -EINVAL;
	element->is_there = 1;
	memcpy(&element->value, value, sizeof(element->value));
	return 0;
}

int direct_add(struct sp_direct *element, int64_t delta, int64_t *old_ret)
{
	if (!element)
		return -EINVAL;
	element->is_there = 1;
	*old_ret = __atomic_fetch_add(&element->value, delta, __ATOMIC_RELAXED);
	return 0;
}

void direct_delete(struct sp_direct *element)
{
	if (element)
		*element = (struct sp_direct){ 0 };
}
