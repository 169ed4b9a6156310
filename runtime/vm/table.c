// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/table.h"

#include "runtime/base/hash.h"

#include <stdlib.h>

void table_clear(struct table *t)
{
	free(t->elements);
	free(t->live);
	free(t->slots);
	*t = (struct table){ .map = t->map, .stride = t->stride };
}

// Eight numbers in a row have slots in a row, in one line of the processor's cache.
static uint32_t hash_of(const struct table *t, const void *key)
{
	uint64_t number;

	if (t->map->key_size != sizeof(number))
		return (uint32_t)sp_hash_bytes(key, t->map->key_size);
	memcpy(&number, key, sizeof(number));
	return (uint32_t)sp_hash_bytes(&(uint64_t){ number >> 3 }, sizeof(number)) << 3 | (number & 7);
}

// The slot of the key's element, or the free one where it would go.
static struct table_slot *find_slot(const struct table *t, const void *key, uint32_t hash)
{
	uint32_t mask = t->n_slots - 1;

	for (uint32_t s = hash & mask;; s = (s + 1) & mask) {
		struct table_slot *slot = &t->slots[s];

		if (!slot->at || (slot->hash == hash && t->live[slot->at - 1] &&
				  memcmp(table_element(t, slot->at - 1), key, t->map->key_size) == 0))
			return slot;
	}
}

char *table_find(const struct table *t, const void *key)
{
	const struct table_slot *slot;

	if (!t->n_live)
		return NULL;
	slot = find_slot(t, key, hash_of(t, key));
	return slot->at ? table_element(t, slot->at - 1) : NULL;
}

// Drops deleted elements, and makes room for as many again as are left.
static void rehash(struct table *t)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		if (!t->live[i])
			continue;
		if (kept != i) {
			memcpy(table_element(t, kept), table_element(t, i), t->stride);
			t->live[kept] = 1;
		}
		kept++;
	}
	t->n = kept;
	t->oldest = 0;
	t->room = SP_MAX(16u, kept * 2);
	t->elements = sp_realloc(t->elements, (size_t)t->room * t->stride);
	t->live = sp_realloc(t->live, t->room);
	t->n_slots = 32;
	while (t->n_slots < t->room * 2)
		t->n_slots *= 2;
	free(t->slots);
	t->slots = sp_calloc(t->n_slots, sizeof(*t->slots));
	for (uint32_t i = 0; i < kept; i++) {
		uint32_t hash = hash_of(t, table_element(t, i)), s = hash & (t->n_slots - 1);

		while (t->slots[s].at)
			s = (s + 1) & (t->n_slots - 1);
		t->slots[s] = (struct table_slot){ i + 1, hash };
	}
}

static void delete_at(struct table *t, uint32_t i)
{
	t->live[i] = 0;
	t->n_live--;
	while (t->oldest < t->n && !t->live[t->oldest])
		t->oldest++;
}

void table_delete(struct table *t, const char *element)
{
	delete_at(t, (uint32_t)((size_t)(element - t->elements) / t->stride));
}

char *table_insert(struct table *t, const void *key)
{
	uint32_t hash = hash_of(t, key);
	struct table_slot *slot = t->n_slots ? find_slot(t, key, hash) : NULL;
	char *e;

	if (slot && slot->at)
		return table_element(t, slot->at - 1);
	if (t->n_live >= t->map->max_entries) {
		if (!(t->map->flags & (SP_MAP_WRAPS | SP_MAP_FORGETS)))
			return NULL;
		delete_at(t, t->oldest);
	}
	if (t->n == t->room) {
		rehash(t);
		slot = find_slot(t, key, hash);
	}
	*slot = (struct table_slot){ t->n + 1, hash };
	t->live[t->n] = 1;
	e = table_element(t, t->n);
	memcpy(e, key, t->map->key_size);
	memset(e + t->map->key_size, 0, t->map->value_size);
	t->n++;
	t->n_live++;
	return e;
}
