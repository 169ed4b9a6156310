// SPDX-License-Identifier: GPL-2.0-or-later
/** The script's arrays as user-side handlers and the final print see them: in this process, or in the kernel's maps. */
#ifndef SP_RUNTIME_STORE_H
#define SP_RUNTIME_STORE_H

#include "runtime/base/log.h"
#include "runtime/load/bundle.h"
#include "runtime/vm/order.h"

struct store;
struct store_iter;

/** What the kernel has of the arrays. */
struct store_kernel {
	const int *map_fds; // the map for each of bundle->maps; -1 where there is none
	const int *own_fds, *short_fds; // its SP_MAP_OWN and SP_MAP_SHORT; -1 where there is none
	struct order_runner order;
	void *data; // spile_data, which the kernel shares
};

/** `kernel`: NULL, all is in this process. */
struct store *store_create(const struct bundle *bundle, const struct store_kernel *kernel);
void store_destroy(struct store *store);
/** Tells of arrays whose elements the kernel did not give. */
void store_report(const struct store *store, const struct sp_log *log);

/** Keys and values are key_size and value_size bytes, as the bundle says. `value_ret` is zeroed when absent.
 *  Results: 1 found, 0 absent or done, -E2BIG full, another negative errno when the kernel failed. */
int store_get(struct store *store, unsigned map, const void *key, void *value_ret);
int store_set(struct store *store, unsigned map, const void *key, const void *value);
/** `old_ret` may be NULL. */
int store_add(struct store *store, unsigned map, const void *key, int64_t delta, int64_t *old_ret);
int store_delete(struct store *store, unsigned map, const void *key);
int store_clear(struct store *store, unsigned map);

/** Aggregates. A scalar one has a key of SP_STAT_KEY_SIZE zeros. store_get gives the merged record. */
int store_stat_add(struct store *store, unsigned map, const void *key, int64_t value);

/** A sorted snapshot. sort_key 0 is the value (of aggregates their count), 1.. the key parts, SP_VM_SORT_STAT + enum
 *  sp_stat what is read of an aggregate; direction +1, -1, or 0 for any order; limit < 0: all. Elements that are equal
 *  keep the order of insertion where it is known. */
struct store_iter *store_iter_open(struct store *store, unsigned map, unsigned sort_key, int direction, int64_t limit);
/** 1, or 0 at the end. What was deleted since is skipped. `value_ret` may be NULL. */
int store_iter_next(struct store_iter *iter, void *key_ret, void *value_ret);
void store_iter_close(struct store_iter *iter);

#endif
