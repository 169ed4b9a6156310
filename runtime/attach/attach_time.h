// SPDX-License-Identifier: GPL-2.0-or-later
/** timer.* probes: one timerfd each. */
#ifndef SP_RUNTIME_ATTACH_TIME_H
#define SP_RUNTIME_ATTACH_TIME_H

#include "runtime/load/bundle.h"

#include <time.h>

struct attach_timer {
	int fd;
	unsigned site;
	uint64_t random; // state of the deviation
};

/** Starts to run at once. `site` is of kind SP_SITE_TIMER. */
struct sp_err *attach_timer_start(const struct bundle *bundle, unsigned site, struct attach_timer *ret);
void attach_timer_stop(struct attach_timer *timer);
/** Returns how many times the timer has expired since the last call. Sets the next time, if it has a random
 *  deviation. */
uint64_t attach_timer_take(const struct bundle *bundle, struct attach_timer *timer);

/** A timerfd that does not block, set with `flags` of timerfd_settime(2). */
struct sp_err *attach_timerfd(clockid_t clock, int flags, const struct itimerspec *when, int *fd_ret);
/** Returns how many times it has expired since the last call. */
uint64_t attach_timerfd_take(int fd);
/** A timerfd that expires once, after `seconds`. */
struct sp_err *attach_deadline_start(double seconds, int *fd_ret);

#endif
