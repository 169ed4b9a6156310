// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/name_index.h"

#include "runtime/base/hash.h"

#include <stdlib.h>

void name_index_init(struct name_index *index, size_t n)
{
	for (index->n_slots = 64; index->n_slots < n; index->n_slots *= 2)
		;
	index->slots = sp_calloc(index->n_slots, sizeof(*index->slots));
	index->next = sp_calloc(n + 1, sizeof(*index->next));
}

void name_index_deinit(struct name_index *index)
{
	free(index->slots);
	free(index->next);
	*index = (struct name_index){ 0 };
}

static uint32_t *slot_of(const struct name_index *index, const char *name, size_t len)
{
	return &index->slots[sp_hash_bytes(name, len) & (index->n_slots - 1)];
}

void name_index_add(struct name_index *index, uint32_t item, const char *name, size_t len)
{
	uint32_t *slot = slot_of(index, name, len);

	index->next[item] = *slot;
	*slot = item + 1;
}

uint32_t name_index_first(const struct name_index *index, const char *name, size_t len)
{
	return *slot_of(index, name, len) - 1; // NAME_INDEX_END for 0
}

uint32_t name_index_next(const struct name_index *index, uint32_t item)
{
	return index->next[item] - 1;
}
