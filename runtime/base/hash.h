// SPDX-License-Identifier: GPL-2.0-or-later
/** Hash table from byte strings to pointers, in insertion order. Keys are copied. */
#ifndef SP_BASE_HASH_H
#define SP_BASE_HASH_H

#include "runtime/base/util.h"

struct sp_hash_entry {
	char *key; // NUL-terminated behind its length
	size_t key_len;
	uint64_t hash;
	void *value;
	bool deleted;
};

struct sp_hash {
	struct sp_hash_entry *entries; // in insertion order; skip those with `deleted`
	size_t n_entries, cap_entries, n_live;
	uint32_t *slots; // index + 1 into entries, 0 = free
	size_t n_slots;
};

/** A zeroed struct is an empty table, too. */
void sp_hash_init(struct sp_hash *hash);
/** Does not free the values. */
void sp_hash_deinit(struct sp_hash *hash);
/** Frees them, too: free(3). */
void sp_hash_free(struct sp_hash *hash);

/** The address of the value's place, NULL when the key is absent. Valid until the next insertion. */
void **sp_hash_find(const struct sp_hash *hash, const void *key, size_t len);
/** The place of an existing or new (NULL) value. */
void **sp_hash_insert(struct sp_hash *hash, const void *key, size_t len);
/** Returns the value that was there, NULL when the key was absent. */
void *sp_hash_remove(struct sp_hash *hash, const void *key, size_t len);

/** The same for C strings. sp_hash_get returns NULL for an absent key. */
void *sp_hash_get(const struct sp_hash *hash, const char *key);
void sp_hash_set(struct sp_hash *hash, const char *key, void *value);

#define sp_hash_each(it, hash)                                                                     \
	for (struct sp_hash_entry *it = (hash)->entries;                                            \
	     (hash)->n_entries && it < (hash)->entries + (hash)->n_entries; it++)                    \
		if (!it->deleted)

uint64_t sp_hash_bytes(const void *data, size_t len);

#endif
