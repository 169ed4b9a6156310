// SPDX-License-Identifier: GPL-2.0-or-later
/** What @perf("NAME") reads: how often an event has happened in the current thread.
 *
 *  The problem: BPF programs can read the events of a processor, and those of one thread that is known beforehand. Threads come and
 *  go, and change processors.
 *
 *  The idea: each counter has an event on every processor (SP_MAP_COUNTERS). At each switch, a small program adds what the processor
 *  has counted since the switch before (SP_MAP_SINCE) to the thread that leaves it (SP_MAP_COUNTS). A handler adds what has been
 *  counted since the last switch to what is kept, and has the thread's own.
 *
 *  The limits: an exec begins anew. A switch that the kernel does not tell of makes two threads' counts one, but only until the next
 *  one. Events that the hardware counts by turns, because there are too many, are an error of the handler while it does not count
 *  them. */
#ifndef SP_RUNTIME_COUNTERS_H
#define SP_RUNTIME_COUNTERS_H

#include "runtime/load/bundle.h"
#include "runtime/load/hooks.h"

#define COUNTERS_THREADS 32768 // alive at a time

struct layout;

/** Descriptors of SP_MAP_COUNTERS, SP_MAP_SINCE and SP_MAP_COUNTS. */
struct counters_maps {
	int events, since, counts;
};

struct counters {
	struct counters_maps maps;
	struct hooks hooks;
	SP_VEC(struct counters_event {
		uint32_t key; // in maps.events
		int fd;
	}) events; // of the counters, on each processor
};

/** How many the bundle has. */
unsigned counters_number(const struct bundle *bundle);
/** What the slot of such a fixup is given. */
uint64_t counters_first(const struct bundle *bundle, const struct sp_fixup *fixup);
struct sp_err *counters_start(const struct bundle *bundle, const struct counters_maps *maps, struct layout *layout, struct counters *ret);
/** Counts on a processor that has come online, too: what it counted on before it went off does not go on. */
struct sp_err *counters_add_cpu(struct counters *counters, const struct bundle *bundle, unsigned cpu);
void counters_stop(struct counters *counters);

#endif
