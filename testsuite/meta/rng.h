// SPDX-License-Identifier: GPL-2.0-or-later
/** Random choices that are the same for a seed on every machine (SplitMix64). C leaves the order open in which arguments of a
 *  call are computed: a choice is a statement of its own, or the only one in an expression. */
#ifndef META_RNG_H
#define META_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/** Each `purpose` has numbers of its own, so that a choice more for one leaves the others as they are. */
static inline struct rng rng_of(uint64_t seed, const char *purpose)
{
	struct rng r = { seed * 0x2545f4914f6cdd1d };

	for (; *purpose; purpose++)
		r.state = (r.state ^ (unsigned char)*purpose) * 0x100000001b3;
	rng_next(&r);
	return r;
}

/** 0 to n - 1. */
static inline unsigned below(struct rng *r, unsigned n)
{
	return (unsigned)((rng_next(r) >> 32) * n >> 32);
}

static inline bool chance(struct rng *r, unsigned percent)
{
	return below(r, 100) < percent;
}

/** An element of an array, by address. */
#define pick(r, array) (&(array)[below((r), sizeof(array) / sizeof((array)[0]))])

#endif
