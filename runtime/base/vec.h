// SPDX-License-Identifier: GPL-2.0-or-later
/** Typed growable arrays: `SP_VEC(int) v = {0}; sp_vec_push(&v, 3); v.v[0]; v.n; sp_vec_deinit(&v);`.
 *  A zeroed vector is empty. Elements move when it grows: keep indexes, not pointers. */
#ifndef SP_BASE_VEC_H
#define SP_BASE_VEC_H

#include "runtime/base/util.h"

#include <stdlib.h>

#define SP_VEC(T)                                                                                  \
	struct {                                                                                   \
		T *v;                                                                              \
		size_t n, cap;                                                                     \
	}

/** Not inline: there are hundreds of places. */
void *sp_vec_grow(void *elements, size_t *cap, size_t count, size_t element_size);

#define sp_vec_reserve(vec, count)                                                                 \
	do {                                                                                       \
		if ((vec)->cap < (count))                                                          \
			(vec)->v = sp_vec_grow((vec)->v, &(vec)->cap, count, sizeof(*(vec)->v));   \
	} while (0)

#define sp_vec_push(vec, ...)                                                                      \
	do {                                                                                       \
		sp_vec_reserve(vec, (vec)->n + 1);                                                 \
		(vec)->v[(vec)->n++] = (__VA_ARGS__);                                              \
	} while (0)

#define sp_vec_last(vec) ((vec)->v[(vec)->n - 1])
#define sp_vec_pop(vec) ((vec)->v[--(vec)->n])
#define sp_vec_deinit(vec)                                                                         \
	do {                                                                                       \
		free((vec)->v);                                                                    \
		(vec)->v = NULL;                                                                   \
		(vec)->n = (vec)->cap = 0;                                                         \
	} while (0)
#define sp_vec_each(it, vec)                                                                       \
	for (__typeof__((vec)->v + 0) it = (vec)->v; (vec)->n && it < (vec)->v + (vec)->n; it++)

#endif
