// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_time.h"

#include "runtime/base/hash.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000ll

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NS, .tv_nsec = ns % NS };
}

// period +- deviation, never 0 (which would disarm it)
static int64_t next_period(const struct sp_site *site, struct attach_timer *timer)
{
	int64_t period = SP_MAX(site->args.timer.period, 1);

	if (site->args.timer.deviation > 0) {
		timer->random = sp_hash_bytes(&timer->random, sizeof(timer->random));
		period += (int64_t)(timer->random % (2 * (uint64_t)site->args.timer.deviation + 1)) - site->args.timer.deviation;
	}
	return SP_MAX(period, 1);
}

static int arm(const struct sp_site *site, struct attach_timer *timer)
{
	struct itimerspec when = { .it_value = to_timespec(next_period(site, timer)) };

	if (site->args.timer.deviation <= 0)
		when.it_interval = when.it_value;
	return timerfd_settime(timer->fd, 0, &when, NULL);
}

struct sp_err *attach_timer_start(const struct bundle *bundle, unsigned index, struct attach_timer *ret)
{
	const struct sp_site *site = &bundle->sites[index];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	*ret = (struct attach_timer){ .site = index, .random = (uint64_t)now.tv_nsec * 31 + index };
	ret->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (ret->fd < 0)
		return sp_err_errno(errno, "cannot make a timer for %s", bundle_text(bundle, site->point));
	if (arm(site, ret)) {
		struct sp_err *err = sp_err_errno(errno, "cannot set the timer of %s", bundle_text(bundle, site->point));

		attach_timer_stop(ret);
		return err;
	}
	return NULL;
}

void attach_timer_stop(struct attach_timer *timer)
{
	if (timer->fd >= 0)
		close(timer->fd);
	timer->fd = -1;
}

uint64_t attach_timer_take(const struct bundle *bundle, struct attach_timer *timer)
{
	const struct sp_site *site = &bundle->sites[timer->site];
	uint64_t count = 0;

	if (read(timer->fd, &count, sizeof(count)) != sizeof(count))
		return 0;
	if (site->args.timer.deviation > 0)
		arm(site, timer);
	return count;
}

struct sp_err *attach_deadline_start(double seconds, int *fd_ret)
{
	struct itimerspec when = { .it_value = to_timespec((int64_t)SP_MIN(seconds * (double)NS, 9e18)) };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (when.it_value.tv_sec == 0 && when.it_value.tv_nsec == 0)
		when.it_value.tv_nsec = 1;
	if (fd < 0)
		return sp_err_errno(errno, "cannot make a timer");
	if (timerfd_settime(fd, 0, &when, NULL)) {
		struct sp_err *err = sp_err_errno(errno, "cannot set a timer");

		close(fd);
		return err;
	}
	*fd_ret = fd;
	return NULL;
}
