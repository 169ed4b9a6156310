// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/sample.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#define WORTH_A_SAMPLE 128 // programs of a probe

bool sample_take(const struct plan *plan, bool *sample)
{
	const struct ir_unit *unit = plan->unit;
	sp_cleanup_free uint32_t *counts = sp_calloc(unit->places.n + 1, 2 * sizeof(*counts));
	uint32_t *seen = counts + unit->places.n + 1;
	bool any = false;

	for (size_t i = 0; i < unit->progs.n; i++)
		counts[unit->progs.v[i].place] += plan->progs[i].keeps_state;
	for (size_t i = 0; i < unit->progs.n; i++) {
		uint32_t place = unit->progs.v[i].place;

		if (counts[place] < WORTH_A_SAMPLE || !plan->progs[i].keeps_state)
			continue;
		sample[i] = seen[place]++ % (counts[place] / SAMPLE_SIZE) == 0;
		any |= sample[i];
	}
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
