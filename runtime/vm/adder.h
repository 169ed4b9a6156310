// SPDX-License-Identifier: GPL-2.0-or-later
/** Adds to an element of a map of the kernel while handlers there add to it, too, and loses nothing. */
#ifndef SP_RUNTIME_ADDER_H
#define SP_RUNTIME_ADDER_H

#include <stdbool.h>
#include <stdint.h>

struct adder;

/** For a map of 64-bit numbers. `makes`: it adds elements that are not there yet. NULL when the kernel cannot do it: it
 *  has no atomics that fetch, or does not run such programs. */
struct adder *adder_create(int map_fd, uint32_t key_size, bool makes);
void adder_destroy(struct adder *adder);
/** A new element begins at 0. Returns 0, -E2BIG when the map is full (or makes none), or another negative errno. */
int adder_add(struct adder *adder, const void *key, int64_t delta, int64_t *old_ret);

#endif
