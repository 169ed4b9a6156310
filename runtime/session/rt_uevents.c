// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel tells while the script runs: modules that come, which adds to the kernel's symbols, and go, and processors that come
// online. An event of a processor does not go on when that was off in between, as all but one are while the machine is suspended: it is
// opened anew. Uevents can be lost, and say that it came, not that it is new; so each processor has an event of ours whose time stands
// still when those of others do.
#include "runtime/attach/attach_event.h"
#include "runtime/session/rt.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_GROUP 1 // of uevents: those of the kernel

bool rt_is_per_cpu(const struct spilert *rt)
{
	if (symbols_listens(rt->symbols) || counters_number(rt->bundle))
		return true;
	for (unsigned i = 0; rt->load && i < rt->bundle->n_sites; i++)
		if (attach_is_per_cpu(rt->bundle, &rt->bundle->sites[i]))
			return true;
	return false;
}

static struct sp_err *listen_to_kernel(struct spilert *rt)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };

	rt->uevents_fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (rt->uevents_fd >= 0 && !bind(rt->uevents_fd, (struct sockaddr *)&address, sizeof(address)))
		return NULL;
	return sp_err_errno(errno, "cannot listen to the kernel's uevents");
}

// -1: the processor is off.
static int open_clock(unsigned cpu)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
	};

	return attach_event_open(&attr, -1, (int)cpu);
}

#define READS 50000 // take 10 ms and more: that long the clock of a kernel without a better one stands still

static bool stands_still(int clock)
{
	struct {
		uint64_t count, time;
	} first, now;

	if (read(clock, &first, sizeof(first)) != sizeof(first))
		return true; // there is none
	for (unsigned i = 0; i < READS; i++)
		if (read(clock, &now, sizeof(now)) == sizeof(now) && now.time != first.time)
			return false;
	return true;
}

struct sp_err *rt_uevents_start(struct spilert *rt)
{
	struct sp_err *err = NULL;

	rt_modules_note(rt);
	if (rt->modules.n || rt_is_per_cpu(rt))
		err = listen_to_kernel(rt);
	for (int i = 0; rt->uevents_fd >= 0 && rt_is_per_cpu(rt) && i < libbpf_num_possible_cpus(); i++)
		sp_vec_push(&rt->clocks, open_clock((unsigned)i));
	if (err && rt->modules.n)
		return err;
	if (err)
		sp_err_tell(&rt->log, SP_LOG_INFO, err); // what happens on processors that come online is not seen
	rt_modules_begin(rt);
	return NULL;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void rt_uevents_stop(struct spilert *rt)
{
	close_fd(rt->uevents_fd);
	rt->uevents_fd = -1;
	sp_vec_each(clock, &rt->clocks)
		close_fd(*clock);
	sp_vec_deinit(&rt->clocks);
}

static void set_on_cpu(struct spilert *rt, unsigned cpu)
{
	struct sp_err *err = symbols_listen_on(rt->symbols, cpu);

	if (!err && rt->counters.events.n)
		err = counters_add_cpu(&rt->counters, rt->bundle, cpu);
	for (unsigned i = 0; !err && i < rt->bundle->n_sites; i++)
		if (!rt_is_disarmed(rt, rt->bundle->sites[i].prog))
			err = attach_cpu(&rt->attach, i, cpu);
	if (err)
		sp_err_tell(&rt->log, SP_LOG_WARN, sp_err_wrap(err, "not all is seen of processor %u, which has come online", cpu));
}

static void look_at_cpu(struct spilert *rt, unsigned cpu)
{
	int *clock = &rt->clocks.v[cpu];

	if (!stands_still(*clock))
		return;
	close_fd(*clock);
	*clock = open_clock(cpu);
	if (*clock >= 0)
		set_on_cpu(rt, cpu);
}

void rt_uevents_look(struct spilert *rt)
{
	static const char online[] = "online@/devices/system/cpu/cpu";
	char uevent[4096];
	ssize_t size;
	bool is_lost = false;

	while ((size = read(rt->uevents_fd, uevent, sizeof(uevent) - 1)) > 0 || (size < 0 && errno == ENOBUFS)) {
		unsigned long cpu;

		is_lost |= size < 0;
		uevent[SP_MAX(size, 0)] = '\0';
		if (sp_starts_with(uevent, online) && (cpu = strtoull(uevent + strlen(online), NULL, 10)) < rt->clocks.n)
			look_at_cpu(rt, (unsigned)cpu);
		if (is_lost || sp_starts_with(uevent, "add@/module/"))
			symbols_forget_kernel(rt->symbols);
	}
	for (unsigned i = 0; is_lost && i < rt->clocks.n; i++) // now: until all are read, more are lost, of which nothing is said
		look_at_cpu(rt, i);
	rt_modules_look(rt);
}
