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

// period +- deviation, never 0 (which would disarm it), and no more than a timer can wait: both may be as long as that.
static int64_t next_period(const struct sp_site *site, struct attach_timer *timer)
{
	uint64_t period = (uint64_t)site->args.timer.period, deviation = (uint64_t)site->args.timer.deviation;

	if (deviation) {
		timer->random = sp_hash_bytes(&timer->random, sizeof(timer->random));
		period = SP_MAX(period, deviation) - deviation + timer->random % (2 * deviation + 1);
	}
	return (int64_t)SP_MAX(SP_MIN(period, (uint64_t)INT64_MAX), 1u);
}

struct sp_err *attach_timerfd(clockid_t clock, int flags, const struct itimerspec *when, int *fd_ret)
{
	int fd = timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK);
	struct sp_err *err;

	if (fd >= 0 && !timerfd_settime(fd, flags, when, NULL)) {
		*fd_ret = fd;
		return NULL;
	}
	err = sp_err_errno(errno, "cannot make a timer");
	if (fd >= 0)
		close(fd);
	return err;
}

uint64_t attach_timerfd_take(int fd)
{
	uint64_t count = 0;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static struct itimerspec next(const struct sp_site *site, struct attach_timer *timer)
{
	struct itimerspec when = { .it_value = to_timespec(next_period(site, timer)) };

	if (site->args.timer.deviation <= 0)
		when.it_interval = when.it_value;
	return when;
}

struct sp_err *attach_timer_start(const struct bundle *bundle, unsigned index, struct attach_timer *ret)
{
	const struct sp_site *site = &bundle->sites[index];
	struct itimerspec when;
	struct timespec now;
	struct sp_err *err;

	clock_gettime(CLOCK_MONOTONIC, &now);
	*ret = (struct attach_timer){ .site = index, .random = (uint64_t)now.tv_nsec * 31 + index, .fd = -1 };
	when = next(site, ret);
	err = attach_timerfd(CLOCK_MONOTONIC, 0, &when, &ret->fd);
	return err ? sp_err_wrap(err, "%s", bundle_text(bundle, site->point)) : NULL;
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
	struct itimerspec when;
	uint64_t count = attach_timerfd_take(timer->fd);

	if (count && site->args.timer.deviation > 0) {
		when = next(site, timer);
		timerfd_settime(timer->fd, 0, &when, NULL);
	}
	return count;
}

struct sp_err *attach_deadline_start(double seconds, int *fd_ret)
{
	struct itimerspec when = { .it_value = to_timespec((int64_t)SP_MAX(SP_MIN(seconds * (double)NS, 9e18), 1)) };

	return attach_timerfd(CLOCK_MONOTONIC, 0, &when, fd_ret);
}
