// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/sample.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#define WORTH_A_SAMPLE 128 // programs of a probe
#define LARGE 1000 // instructions: the values of smaller programs fit on the stack, unless they call functions

static bool is_counted(const struct plan *plan, const uint32_t *counts, size_t prog)
{
	return plan->progs[prog].keeps_state && counts[plan->unit->progs.v[prog].place] >= WORTH_A_SAMPLE;
}

static bool is_candidate(const struct plan *plan, const uint32_t *n_progs, size_t prog)
{
	const struct plan_prog *p = &plan->progs[prog];

	return p->in_kernel && (p->keeps_state || p->size >= LARGE) && n_progs[plan->unit->progs.v[prog].place] >= WORTH_A_SAMPLE;
}

// The largest program of each probe among those that are not made yet. False: there is none.
static bool add_largest(const struct plan *plan, const uint32_t *n_progs, bool *is_made)
{
	const struct ir_unit *unit = plan->unit;
	sp_cleanup_free size_t *largest = sp_calloc(unit->places.n + 1, sizeof(*largest)); // by place: + 1; 0: none
	bool any = false;

	for (size_t i = 0; i < unit->progs.n; i++) {
		size_t *known = &largest[unit->progs.v[i].place];

		if (is_candidate(plan, n_progs, i) && !is_made[i] && (!*known || plan->progs[i].size > plan->progs[*known - 1].size))
			*known = i + 1;
	}
	for (size_t i = 0; i < unit->places.n; i++) {
		any |= largest[i] != 0;
		if (largest[i])
			is_made[largest[i] - 1] = true;
	}
	return any;
}

bool sample_take(const struct plan *plan, bool *sample, bool *is_made)
{
	const struct ir_unit *unit = plan->unit;
	sp_cleanup_free uint32_t *counts = sp_calloc(unit->places.n + 1, 3 * sizeof(*counts));
	uint32_t *seen = counts + unit->places.n + 1, *n_progs = seen + unit->places.n + 1;
	bool any = false;

	for (size_t i = 0; i < unit->progs.n; i++) {
		counts[unit->progs.v[i].place] += plan->progs[i].keeps_state;
		n_progs[unit->progs.v[i].place] += plan->progs[i].in_kernel;
	}
	for (size_t i = 0; i < unit->progs.n; i++) {
		uint32_t place = unit->progs.v[i].place;

		if (!is_counted(plan, counts, i))
			continue;
		is_made[i] = sample[i] = seen[place]++ % (counts[place] / SAMPLE_SIZE) == 0;
		any |= sample[i];
	}
	for (unsigned i = 0; i < SAMPLE_SIZE; i++)
		any |= add_largest(plan, n_progs, is_made);
	return any;
}

unsigned sample_foresee(const struct plan *plan, const bool *sample, bool *stackless)
{
	const struct ir_unit *unit = plan->unit;
	struct vote {
		int32_t balance;
		uint32_t smallest; // size of one that is too much
	} *votes = sp_calloc(unit->places.n + 1, sizeof(*votes));
	unsigned n = 0;

	for (size_t i = 0; i < unit->progs.n; i++) {
		struct vote *vote = &votes[unit->progs.v[i].place];
		uint32_t size = plan->progs[i].size;

		if (!sample[i])
			continue;
		vote->balance += stackless[i] ? 1 : -3;
		if (stackless[i] && (!vote->smallest || size < vote->smallest))
			vote->smallest = size;
	}
	for (size_t i = 0; i < unit->progs.n; i++) {
		const struct vote *vote = &votes[unit->progs.v[i].place];
		const struct plan_prog *prog = &plan->progs[i];

		if (sample[i] || stackless[i] || !prog->keeps_state || vote->balance <= 0 || prog->size < vote->smallest)
			continue;
		stackless[i] = true;
		n++;
	}
	free(votes);
	return n;
}
