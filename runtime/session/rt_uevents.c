// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel tells while the script runs: modules that come and go, and processors that come online. An event of a processor does
// not go on when that was off in between, as all but one are while the machine is suspended: it is opened anew.
#include "runtime/session/rt.h"

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

struct sp_err *rt_uevents_start(struct spilert *rt)
{
	struct sp_err *err = NULL;

	rt_modules_note(rt);
	if (rt->modules.n || rt_is_per_cpu(rt))
		err = listen_to_kernel(rt);
	if (err && rt->modules.n)
		return err;
	if (err)
		sp_err_tell(&rt->log, SP_LOG_INFO, err); // what happens on processors that come online is not seen
	rt_modules_begin(rt);
	return NULL;
}

static void set_on_cpu(struct spilert *rt, unsigned cpu)
{
	struct sp_err *err = symbols_listen_on(rt->symbols, cpu);

	if (!err && rt->counters.events.n)
		err = counters_add_cpu(&rt->counters, rt->bundle, load_map(rt->load, SP_MAP_COUNTERS), cpu);
	for (unsigned i = 0; !err && i < rt->bundle->n_sites; i++)
		if (!rt_is_disarmed(rt, rt->bundle->sites[i].prog))
			err = attach_cpu(&rt->attach, i, cpu);
	if (err)
		sp_err_tell(&rt->log, SP_LOG_WARN, sp_err_wrap(err, "not all is seen of processor %u, which has come online", cpu));
}

void rt_uevents_look(struct spilert *rt)
{
	static const char online[] = "online@/devices/system/cpu/cpu";
	char uevent[4096];
	ssize_t size;

	while ((size = recv(rt->uevents_fd, uevent, sizeof(uevent) - 1, 0)) > 0 || (size < 0 && errno == ENOBUFS)) {
		if (size < 0 && rt_is_per_cpu(rt)) // an event that is opened twice counts twice, so they are not all opened anew
			sp_log(&rt->log, SP_LOG_WARN, "the kernel's uevents were lost: processors that came online are not seen");
		uevent[SP_MAX(size, 0)] = '\0';
		if (sp_starts_with(uevent, online) && rt_is_per_cpu(rt))
			set_on_cpu(rt, (unsigned)strtoul(uevent + strlen(online), NULL, 10));
	}
	rt_modules_look(rt);
}
