// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/vec.h"

void *sp_vec_grow(void *elements, size_t *cap, size_t count, size_t element_size)
{
	if (*cap >= count)
		return elements;
	*cap = SP_MAX(SP_MAX(count, *cap * 2), (size_t)8);
	return sp_realloc(elements, *cap * element_size);
}

void sp_vec_empty(void *vec, void *elements)
{
	free(elements);
	memset(vec, 0, sizeof(SP_VEC(char)));
}
