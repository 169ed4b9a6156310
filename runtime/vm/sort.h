// SPDX-License-Identifier: GPL-2.0-or-later
/** The first elements of an array in some order: they go through a heap that holds no more of them than are wanted. */
#ifndef SP_RUNTIME_SORT_H
#define SP_RUNTIME_SORT_H

#include "runtime/load/bundle.h"

struct sort {
	int direction; // +1, -1; 0: the order of insertion
	bool by_text;
	uint32_t offset, size; // of the sort key in the element
	const struct sp_stat_shape *shape; // aggregates that are sorted by what is read of them; NULL: no such
	enum sp_stat stat;
};

/** `key`: 0 is the value (of aggregates their count or, where it is not kept, the first statistic that is), 1.. the key parts, SP_VM_SORT_STAT + enum sp_stat what is read of
 *  an aggregate. False: there is no such sort key. */
bool sort_init(const struct sp_map *map, const struct sp_field *keys, unsigned key, int direction, struct sort *ret);

/** An element on its way to its place: ties are decided by `rank`, the order of insertion. */
struct sortable {
	int64_t number; // the sort key, when it is a number
	const char *text; // the sort key, when it is a string
	const char *element;
	uint32_t rank;
};

struct selection {
	const struct sort *sort;
	size_t limit; // how many are wanted
	struct sortable *v;
	size_t n, room;
	uint32_t rank;
};

/** `element` is not copied yet. */
void selection_add(struct selection *sel, const char *element);
/** Puts the `sel->n` elements in their order. */
void selection_finish(struct selection *sel);
/** Copies of them, to be freed, in whose place they are from now on. */
char *selection_copy(struct selection *sel, size_t stride);

#endif
