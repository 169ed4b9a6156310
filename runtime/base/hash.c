// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/hash.h"

#include <stdlib.h>

// FNV-1a over 8-byte steps with a final mix; good enough for names and small binary keys.
uint64_t sp_hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325u ^ len;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t word;

		memcpy(&word, p, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	for (; len; p++, len--)
		h = (h ^ *p) * 0x100000001b3u;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9u;
	return h ^ (h >> 32);
}

void sp_hash_init(struct sp_hash *hash)
{
	*hash = (struct sp_hash){ 0 };
}

void sp_hash_deinit(struct sp_hash *hash)
{
	for (size_t i = 0; i < hash->n_entries; i++)
		free(hash->entries[i].key);
	free(hash->entries);
	free(hash->slots);
	sp_hash_init(hash);
}

void sp_hash_free(struct sp_hash *hash)
{
	sp_hash_each(entry, hash)
		free(entry->value);
	sp_hash_deinit(hash);
}

static struct sp_hash_entry *lookup(const struct sp_hash *hash, const void *key, size_t len, uint64_t h)
{
	if (!hash->n_slots)
		return NULL;
	for (size_t i = h & (hash->n_slots - 1);; i = (i + 1) & (hash->n_slots - 1)) {
		struct sp_hash_entry *e;

		if (!hash->slots[i])
			return NULL;
		e = &hash->entries[hash->slots[i] - 1];
		if (!e->deleted && e->hash == h && e->key_len == len && memcmp(e->key, key, len) == 0)
			return e;
	}
}

static void rehash(struct sp_hash *hash)
{
	size_t kept = 0;

	for (size_t i = 0; i < hash->n_entries; i++)
		if (!hash->entries[i].deleted)
			hash->entries[kept++] = hash->entries[i];
	hash->n_entries = kept;
	hash->n_slots = 16;
	while (hash->n_slots < (kept + 1) * 2)
		hash->n_slots *= 2;
	free(hash->slots);
	hash->slots = sp_calloc(hash->n_slots, sizeof(*hash->slots));
	for (size_t e = 0; e < kept; e++) {
		size_t i = hash->entries[e].hash & (hash->n_slots - 1);

		while (hash->slots[i])
			i = (i + 1) & (hash->n_slots - 1);
		hash->slots[i] = (uint32_t)e + 1;
	}
}

void **sp_hash_find(const struct sp_hash *hash, const void *key, size_t len)
{
	struct sp_hash_entry *e = lookup(hash, key, len, sp_hash_bytes(key, len));

	return e ? &e->value : NULL;
}

void **sp_hash_insert(struct sp_hash *hash, const void *key, size_t len)
{
	uint64_t h = sp_hash_bytes(key, len);
	struct sp_hash_entry *e = lookup(hash, key, len, h);
	size_t i;

	if (e)
		return &e->value;
	if ((hash->n_entries + 1) * 2 > hash->n_slots)
		rehash(hash);
	if (hash->n_entries == hash->cap_entries) {
		hash->cap_entries = hash->cap_entries ? hash->cap_entries * 2 : 16;
		hash->entries = sp_realloc(hash->entries, hash->cap_entries * sizeof(*e));
	}
	e = &hash->entries[hash->n_entries++];
	*e = (struct sp_hash_entry){ sp_strndup(key, len), len, h, NULL, false };
	i = h & (hash->n_slots - 1);
	while (hash->slots[i])
		i = (i + 1) & (hash->n_slots - 1);
	hash->slots[i] = (uint32_t)hash->n_entries;
	hash->n_live++;
	return &e->value;
}

void *sp_hash_remove(struct sp_hash *hash, const void *key, size_t len)
{
	struct sp_hash_entry *e = lookup(hash, key, len, sp_hash_bytes(key, len));

	if (!e)
		return NULL;
	// The slot stays taken so that probing goes on past it; rehash drops it.
	e->deleted = true;
	free(e->key);
	e->key = NULL;
	hash->n_live--;
	return e->value;
}

void *sp_hash_get(const struct sp_hash *hash, const char *key)
{
	void **place = sp_hash_find(hash, key, strlen(key));

	return place ? *place : NULL;
}

void sp_hash_set(struct sp_hash *hash, const char *key, void *value)
{
	*sp_hash_insert(hash, key, strlen(key)) = value;
}
