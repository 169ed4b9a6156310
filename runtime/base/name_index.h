// SPDX-License-Identifier: GPL-2.0-or-later
/** Finds things by their names, which stay where they are: a table of numbers alone. For what has very many names, and is asked often. */
#ifndef SP_BASE_NAME_INDEX_H
#define SP_BASE_NAME_INDEX_H

#include "runtime/base/util.h"

#define NAME_INDEX_END UINT32_MAX

struct name_index {
	uint32_t *slots; // by hash: number + 1 of the item that was added last; 0: none. NULL: nothing is known
	uint32_t *next; // by item: the one that was added before it
	size_t n_slots; // a power of 2
};

/** Of items 0 to n - 1, which are then added, each once at most. */
void name_index_init(struct name_index *index, size_t n);
void name_index_deinit(struct name_index *index);
void name_index_add(struct name_index *index, uint32_t item, const char *name, size_t len);
/** An item that may have that name, the one that was added last; NAME_INDEX_END: there is none. */
uint32_t name_index_first(const struct name_index *index, const char *name, size_t len);
/** The next one, which was added before; NAME_INDEX_END: there is none. */
uint32_t name_index_next(const struct name_index *index, uint32_t item);

#endif
