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

/** Not inline: there are hundreds of places. Code that is to be small leaves it to the function to look whether there is room. */
void *sp_vec_grow(void *elements, size_t *cap, size_t count, size_t element_size);
/** Of a vector of any type, whose elements these are: frees them. */
void sp_vec_empty(void *vec, void *elements);

#ifdef __OPTIMIZE_SIZE__
#define SP_VEC_HAS_ROOM(vec, count) false
#else
#define SP_VEC_HAS_ROOM(vec, count) ((vec)->cap >= (count))
#endif
#define sp_vec_reserve(vec, count)                                                                 \
	do {                                                                                       \
		if (!SP_VEC_HAS_ROOM(vec, count))                                                  \
			(vec)->v = sp_vec_grow((vec)->v, &(vec)->cap, count, sizeof(*(vec)->v));   \
	} while (0)

#define sp_vec_push(vec, ...)                                                                      \
	do {                                                                                       \
		sp_vec_reserve(vec, (vec)->n + 1);                                                 \
		(vec)->v[(vec)->n++] = (__VA_ARGS__);                                              \
	} while (0)

#define sp_vec_last(vec) ((vec)->v[(vec)->n - 1])
#define sp_vec_pop(vec) ((vec)->v[--(vec)->n])
#define sp_vec_deinit(vec) sp_vec_empty(vec, (vec)->v)
#define sp_vec_each(it, vec)                                                                       \
	for (__typeof__((vec)->v + 0) it = (vec)->v; (vec)->n && it < (vec)->v + (vec)->n; it++)

#endif
