// SPDX-License-Identifier: GPL-2.0-or-later
/** An array of the store (store.h), and what the kernel has of it. */
#ifndef SP_RUNTIME_ARRAY_H
#define SP_RUNTIME_ARRAY_H

#include "runtime/load/bundle.h"
#include "runtime/vm/adder.h"
#include "runtime/vm/direct.h"
#include "runtime/vm/table.h"

/** One of the kernel's maps of an array. */
struct part {
	int fd; // -1: there is none
	uint32_t key_size;
	struct adder *adder; // NULL: not made yet, or cannot be had
	bool tried_adder;
};

struct array {
	const struct bundle *bundle;
	const struct sp_map *map;
	const struct sp_field *keys;
	unsigned index;
	struct part main; // the kernel's map; there is none when it is in this process
	struct part shorts; // of an SP_MAP_SPLIT: the elements with short texts
	uint64_t *count; // of the elements in both
	struct sp_direct *direct; // the kernel's elements, by the number of their text; NULL: they are elsewhere
	int own_fd; // what user-side handlers have added to an aggregate of the kernel; -1: nothing
	int failure; // why elements could not be read; 0: they all could
	uint64_t changes; // counts what an open snapshot must know of
	const char *current; // the element of one that has been passed last, as it was at current_changes; NULL: none is open
	uint64_t current_changes;
	struct table table; // in this process
	bool has_known; // the kernel's keys are others than the script's: known.h
	char *kernel_key; // room for one
	char *element; // room for one
	unsigned n_records; // of an element in the kernel: a CPU each for aggregates, else 1
	uint64_t *records; // room for those of an element in the kernel, for aggregates
	uint64_t *own; // room for one
};

/** A snapshot. */
struct elements {
	char *data; // key, value; the array's stride
	size_t n, room;
};

/** What the kernel's maps have for this key of the script. NULL: they have no element of it, and can have none. */
const void *array_kernel_key(struct array *a, const void *key);

/** `key` is an array_kernel_key(). Results: 0, or a negative errno; -ENOENT: there is no such element. */
struct part *array_part(struct array *a, const void *key);
int array_lookup(struct array *a, const void *key, void *value_ret);

/** Of an SP_MAP_SPLIT, whose keys are the script's. -EEXIST: there is such an element; -E2BIG: the array is full. */
int array_split_add(struct array *a, const void *key, const void *value);
int array_split_set(struct array *a, const void *key, const void *value);
/** It may be gone already. */
int array_split_delete(struct array *a, const void *key);

/** Of an SP_MAP_DIRECT. NULL: the array has no place for it. */
struct sp_direct *array_direct(struct array *a, const void *key);
uint64_t array_direct_count(const struct array *a);

/** All elements of the kernel, with the script's keys; es->data is to be freed. */
int array_read(struct array *a, struct elements *es);

#endif
