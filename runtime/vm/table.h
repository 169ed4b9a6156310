// SPDX-License-Identifier: GPL-2.0-or-later
/** One array of the script in this process: its elements in the order of insertion, and an index of slots over them. */
#ifndef SP_RUNTIME_TABLE_H
#define SP_RUNTIME_TABLE_H

#include "runtime/load/bundle.h"

// A slot has the hash of its key, too: most of what is passed over in a search need not be looked at.
struct table_slot {
	uint32_t at; // element + 1; 0: free. Slots of deleted elements stay taken until the next rehash
	uint32_t hash;
};

struct table {
	const struct sp_map *map;
	size_t stride; // of an element: key, value
	char *elements;
	uint8_t *live; // 0: the element has been deleted
	struct table_slot *slots;
	uint32_t n, room, n_live, n_slots;
	uint32_t oldest; // no live element before it
};

/** Drops all elements, and the memory. */
void table_clear(struct table *t);
/** NULL when there is none. */
char *table_find(const struct table *t, const void *key);
/** The element of `key`, new and zeroed when there is none; NULL when the array is full. One that wraps drops its
 *  oldest element instead. */
char *table_insert(struct table *t, const void *key);
void table_delete(struct table *t, const char *element);

static inline char *table_element(const struct table *t, uint32_t i)
{
	return t->elements + (size_t)i * t->stride;
}

#endif
